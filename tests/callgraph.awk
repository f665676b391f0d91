# Reads the call graphs that  gcc -fcallgraph-info=su  writes (.ci files) and prints
#     cycle NAME...          functions that call themselves, directly or through others
#     indirect NAME          a function that calls through a pointer
#     stack NAME BYTES MARK CHAIN   per function: the largest sum of frames along a chain of calls within the graph.
#                            MARK is "dynamic" if a frame on the chain has no fixed size, "indirect" if the chain
#                            ends in a call through a pointer (whose callee is not counted), else "static".
#                            CHAIN names the functions of that chain with their own frames.
# Calls into the C library count as nothing.
BEGIN { FS = "\"" }
/^node:/ {
    name = $2
    known[name] = 1
    if (match($4, /[0-9]+ bytes \([a-z,]*\)/)) {
        split(substr($4, RSTART, RLENGTH), part, " ")
        own[name] = part[1]
        if (part[3] == "(dynamic)") mark[name] = "dynamic"
    }
}
/^edge:/ {
    if (!(($2, $4) in seen)) { seen[$2, $4] = 1; n_edges++; from[n_edges] = $2; to[n_edges] = $4 }
    if ($4 == "__indirect_call") { print "indirect " $2; if (!mark[$2]) mark[$2] = "indirect" }
}
END {
    # take away functions that call nothing any more; what is left lies on a cycle or above one
    do {
        removed = 0
        for (name in known) busy[name] = 0
        for (e = 1; e <= n_edges; e++) if (!gone[to[e]]) busy[from[e]] = 1
        for (name in known) if (!gone[name] && !busy[name]) { gone[name] = 1; removed = 1 }
    } while (removed)
    # and functions that nobody left calls; what is left lies on a cycle or between two
    do {
        removed = 0
        for (name in known) busy[name] = 0
        for (e = 1; e <= n_edges; e++) if (!gone[to[e]] && !gone[from[e]]) busy[to[e]] = 1
        for (name in known) if (!gone[name] && !busy[name]) { gone[name] = 1; removed = 1 }
    } while (removed)
    for (name in known) if (!gone[name]) cycle = cycle " " name
    if (cycle) { print "cycle" cycle; exit }

    for (name in known) depth[name] = own[name] + 0
    do {
        changed = 0
        for (e = 1; e <= n_edges; e++) {
            a = from[e]; b = to[e]
            if (depth[a] < own[a] + depth[b]) { depth[a] = own[a] + depth[b]; deepest[a] = b; changed = 1 }
            if (mark[b] == "dynamic" && mark[a] != "dynamic") { mark[a] = "dynamic"; changed = 1 }
            if (mark[b] && !mark[a]) { mark[a] = mark[b]; changed = 1 }
        }
    } while (changed)
    for (name in known) if (name in own) {
        chain = ""
        for (f = name; f in own; f = deepest[f]) {
            title = f
            sub(/.*:/, "", title)
            chain = chain ">" title ":" own[f]
        }
        print "stack " name " " depth[name] " " (mark[name] ? mark[name] : "static") " " substr(chain, 2)
    }
}
