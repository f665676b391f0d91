"""Writes what Python has to know of the headers: structs, enums, macros that are numbers, and prototypes for ctypes, and a C file that
says how large the structs are and where their members stand, for dc.py to compare at import.

    python3 generate.py CC HEADERS DIRECTORY        DIRECTORY gets layout.py and libdc.c
"""
import pathlib
import re
import subprocess
import sys

cc, headers, out = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
top = ["dc_contact.h", "dc_bsh.h", "dc_sdf.h", "dc_ncp.h", "dc_witness.h", "dc_sim.h"]
includes = "".join(f'#include "{h}"\n' for h in top)


def preprocess(text, *flags):
    run = subprocess.run([*cc.split(), "-std=c99", "-E", *flags, f"-I{headers}", "-x", "c", "-"], input=text, capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    return run.stdout


text = re.sub(r"\s+", " ", preprocess(includes, "-P"))
simple = {"int": "c_int", "double": "c_double", "float": "c_float", "size_t": "c_size_t", "long": "c_long", "char": "c_char",
          "unsigned char": "c_ubyte", "unsigned": "c_uint", "unsigned int": "c_uint", "uint64_t": "c_uint64", "uint32_t": "c_uint32",
          "dc_real": "c_double", "unsigned long long": "c_ulonglong", "int64_t": "c_int64", "void": "None"}
known = dict(simple)
python = ['"""Made by generate.py from the headers."""', "from ctypes import *", ""]
structs, offsets = [], []


def ctype(words, stars):
    """The ctypes expression of a C type, stars of it a pointer; None: one that Python has no use for."""
    name = " ".join(w for w in words.split() if w not in ("const", "struct"))
    if name not in known:
        return None
    if stars == 0:
        return known[name]
    inner = {"void": "c_void_p", "char": "c_char_p"}.get(name, f"POINTER({known[name]})" if known[name] != "c_void_p" else "c_void_p")
    for _ in range(stars - 1):
        inner = f"POINTER({inner})"
    return inner


def declarators(declaration):
    """(name, ctypes expression) of each of  const dc_real *a, b[3]"""
    m = re.match(r"((?:const )?(?:unsigned(?: (?:int|char|long long|long)\b)?|(?:struct )?\w+))\s*(.*)", declaration.strip())
    base, rest = m.groups()
    for d in rest.split(","):
        m = re.match(r"\s*((?:\*|const|\s)*)(\w+)((?:\s*\[[^\]]*\])*)\s*$", d)
        if not m:
            sys.exit(f"cannot read: {declaration}")
        of = ctype(base, m[1].count("*"))
        for size in reversed(re.findall(r"\[([^\]]*)\]", m[3])):
            of = of and f"({of} * ({size}))"
        yield m[2], of


for m in re.finditer(r"typedef (struct|enum) (?:\w+ )?\{([^{}]*)\} (dc_\w+);|typedef struct (dc_\w+) (dc_\w+);|typedef int \(\*(dc_\w+)\)", text):
    kind, body, name, _, opaque, function = m.groups()
    if opaque or function:
        known[opaque or function] = "c_void_p"
    elif kind == "enum":
        known[name] = "c_int"
        value = "-1"
        for item in filter(None, (x.strip() for x in body.split(","))):
            key, _, given = (x.strip() for x in item.partition("="))
            value = given or f"{value} + 1"
            python.append(f"{key} = {value}")
            value = key
        python.append("")
    else:
        fields = [f for declaration in body.split(";") if declaration.strip() for f in declarators(declaration)]
        if any(of is None for _, of in fields):
            sys.exit(f"{name}: a member of unknown type")
        python += [f"class {name}(Structure):", "    _fields_ = [" + ", ".join(f'("{k}", {of})' for k, of in fields) + "]", ""]
        known[name] = name
        structs.append(name)
        offsets.append(f'    sizeof({name}), ' + ", ".join(f"offsetof({name}, {k})" for k, _ in fields) + ",")
for name in re.findall(r"\} (dc_\w+);", text):
    if name not in known:
        sys.exit(f"{name} was not read")

# enums without a name of their own, and macros that are whole numbers
for body in re.findall(r"(?<!typedef )enum \{([^{}]*)\};", text):
    value = "-1"
    for item in filter(None, (x.strip() for x in body.split(","))):
        key, _, given = (x.strip() for x in item.partition("="))
        value = given or f"{value} + 1"
        if key.startswith("DC_"):
            python.append(f"{key} = {value}")
        value = key
for key, value in re.findall(r"^#define (DC_[A-Z0-9_]+) (\d+)$", preprocess(includes, "-dM"), re.M):
    python.append(f"{key} = {value}")

functions = 0
python += ["", "prototype = {"]
for result, stars, name, arguments in re.findall(r"extern ((?:const )?\w+) (\**)(dc_\w+)\(([^()]*)\);", text):
    of = [] if arguments.strip() in ("", "void") else [next(declarators(a)) for a in re.split(r",", arguments)]
    of = [(k, f"POINTER({t[1:].split(' * ')[0]})" if t and t.startswith("(") else t) for k, t in of]    # an array is a pointer
    back = ctype(result, len(stars))
    if back is None or any(t is None for _, t in of):
        continue
    functions += 1
    python.append(f'    "{name}": ({back}, [{", ".join(t for _, t in of)}]),')
python += ["}", "", "structs = [" + ", ".join(structs) + "]", ""]

out.mkdir(parents=True, exist_ok=True)
(out/"layout.py").write_text("\n".join(python))
(out/"libdc.c").write_text("".join(f"#define {h[:-2].upper()}_IMPLEMENTATION\n" for h in top) + includes
                           + "#include <stddef.h>\nextern const size_t dc_layout[];\nconst size_t dc_layout[] = {\n" + "\n".join(offsets) + "\n    0};\n")
print(f"{len(structs)} structs, {functions} functions")
