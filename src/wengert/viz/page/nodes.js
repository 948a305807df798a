// The nodes of the graph, in the order of the computation, and the arrows between them.
const KINDS = ["output", "operator", "parameter", "leaf"];
const OUTPUT = 0, OPERATOR = 1, PARAMETER = 2, LEAF = 3;

class Nodes {
  constructor(raw) {
    this.raw = raw;
    this.count = raw.kind.length;
    this.released = new Set(raw.released);
    this.bytes = new Float64Array(this.count);
    raw.saved.forEach((saved, node) => {
      const memories = new Map(saved.map(([, , bytes, memory]) => [memory, bytes]));
      for (const bytes of memories.values()) this.bytes[node] += bytes;
    });
    this.time = raw.forward || raw.backward ? new Float64Array(this.count) : null;
    if (this.time) for (let node = 0; node < this.count; node++)
      this.time[node] = (raw.forward?.[node] ?? 0) + (raw.backward?.[node] ?? 0);
    this.gradient = raw.gradient && raw.gradient.map((value) => (value === null ? null : Number(value)));
    this.types = new Map(raw.modules.map(([path, type]) => [STRINGS[path], STRINGS[type]])); // of modules
    this.sources = this.neighbours(1, 0);
    this.targets = this.neighbours(0, 1);
  }

  title(node) { return STRINGS[this.raw.title[node]]; }
  module(node) { return STRINGS[this.raw.module[node]]; }
  // The module of a node in words, with its type.
  moduleInWords(node) {
    const path = this.module(node), type = path && this.types.get(path);
    return type ? `${path} (${type})` : path;
  }

  scope(node) { return STRINGS[this.raw.scope[node]]; }
  source(node) { return STRINGS[this.raw.source[node]]; }
  shapes(node) { return STRINGS[this.raw.shapes[node]]; }
  kind(node) { return this.raw.kind[node]; }

  // For each node the other ends of its arrows, as a function from a node to an array of [node, count].
  neighbours(own, other) {
    const edges = this.raw.edges, begin = new Int32Array(this.count + 1);
    for (let at = 0; at < edges.length; at += 3) begin[edges[at + own] + 1]++;
    for (let node = 0; node < this.count; node++) begin[node + 1] += begin[node];
    const next = begin.slice(), ends = new Int32Array(edges.length / 3), counts = new Int32Array(edges.length / 3);
    for (let at = 0; at < edges.length; at += 3) {
      const place = next[edges[at + own]]++;
      ends[place] = edges[at + other];
      counts[place] = edges[at + 2];
    }
    return (node) => Array.from(ends.subarray(begin[node], begin[node + 1]), (end, at) => [end, counts[begin[node] + at]]);
  }
}
