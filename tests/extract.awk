# Prints the C programs of a text.
#     awk -v kind=header -v n=1 -f tests/extract.awk dc_contact.h    the n-th run of lines that start with " *|", without that prefix
#     awk -v kind=readme -v n=1 -f tests/extract.awk README.md       the n-th ```c block that has an  int main
kind == "header" {
    if (!/^ \*\|/) inside = 0
    else {
        if (!inside) { inside = 1; ++count }
        sub(/^ \*\| ?/, "")
        if (count == n) print
    }
}
kind == "readme" && /^```/ {
    if (inside) { if (program && ++count == n) printf "%s", text; inside = 0 }
    else if ($0 == "```c") { inside = 1; program = 0; text = "" }
    next
}
kind == "readme" && inside { text = text $0 "\n"; if (/int main/) program = 1 }
