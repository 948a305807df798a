// Groups of nodes, each shown as one box until it is opened. The number of members of a group is limited.
const MOST_MEMBERS = 40;
const MOST_PARTS = 30;

class Group {
  constructor(id, name, parent) {
    Object.assign(this, { id, name, parent, type: "", members: [], open: false, used: 0 });
  }

  // The name, with the type of the module.
  get label() { return this.type ? `${this.name} (${this.type})` : this.name; }

  // The names from the outermost group to this one; the root has no name.
  path() {
    const names = [];
    for (let group = this; group.parent; group = group.parent) names.unshift(group.name);
    return names;
  }
}

class Groups {
  // `pathOf(node)` returns the names of the groups around a node, outermost first; `typeOf(names)` what such a group is.
  constructor(nodes, pathOf, typeOf = () => "") {
    this.nodes = nodes;
    this.made = 0;
    this.root = this.group("", null);
    this.root.open = true;
    const known = new Map();
    for (let node = 0; node < nodes.count; node++) {
      let group = this.root, key = "";
      const path = pathOf(node);
      for (const [depth, name] of path.entries()) {
        key += `${name}\u0000`;
        let inner = known.get(key);
        if (!inner) {
          inner = this.group(name, group);
          inner.type = typeOf(path.slice(0, depth + 1));
          known.set(key, inner);
          group.members.push(inner);
        }
        group = inner;
      }
      group.members.push(node);
    }
    this.tidy(this.root);
    this.around = new Array(nodes.count); // of each node the innermost group
    this.flat = new Int32Array(nodes.count);
    this.all = new Map(); // without those that tidying took away
    this.number(this.root, 0);
    this.measure();
  }

  group(name, parent) {
    return new Group(`g${this.made++}`, name, parent);
  }

  // Replace a group of one member by that member, and split a group with too many members into parts.
  tidy(group) {
    group.members = group.members.map((member) => {
      if (!(member instanceof Group)) return member;
      this.tidy(member);
      while (member.members.length === 1) {
        const [only] = member.members;
        if (!(only instanceof Group)) return only;
        only.name = `${member.name}.${only.name}`;
        only.parent = group;
        member = only;
      }
      return member;
    });
    this.divide(group);
  }

  divide(group) {
    const count = group.members.length;
    if (count <= MOST_MEMBERS) return;
    const size = Math.ceil(count / Math.min(MOST_PARTS, Math.ceil(Math.sqrt(count))));
    const parts = [];
    for (let at = 0; at < count; at += size) {
      const part = this.group("", group);
      part.members = group.members.slice(at, at + size);
      part.isPart = true;
      for (const member of part.members) if (member instanceof Group) member.parent = part;
      parts.push(part);
      this.divide(part);
    }
    group.members = parts;
  }

  // The nodes of a group are contiguous in `flat`.
  number(group, at) {
    this.all.set(group.id, group);
    group.begin = at;
    for (const member of group.members) {
      if (member instanceof Group) at = this.number(member, at);
      else {
        this.around[member] = group;
        this.flat[at++] = member;
      }
    }
    group.end = at;
    if (group.isPart) group.name = this.nameOfPart(group);
    return at;
  }

  nameOfPart(group) {
    const counts = new Map();
    for (let at = group.begin; at < group.end; at++) {
      if (this.nodes.kind(this.flat[at]) !== OPERATOR) continue;
      const title = this.nodes.title(this.flat[at]).replace(/Backward\d*$/, "");
      counts.set(title, (counts.get(title) ?? 0) + 1);
    }
    const most = [...counts].sort((first, second) => second[1] - first[1]).slice(0, 2).map(([title]) => title);
    const range = `${readableCount(this.flat[group.begin] + 1)}\u2013${readableCount(this.flat[group.end - 1] + 1)}`;
    return most.length ? `${range}: ${most.join(", ")}${counts.size > 2 ? ", \u2026" : ""}` : range;
  }

  measure() {
    const { nodes } = this;
    for (const group of this.all.values()) {
      const memories = new Map();
      Object.assign(group, { operators: 0, time: 0, gradient: null });
      for (let at = group.begin; at < group.end; at++) {
        const node = this.flat[at];
        if (nodes.kind(node) === OPERATOR) group.operators++;
        for (const [, , bytes, memory] of nodes.raw.saved[node]) memories.set(memory, bytes);
        if (nodes.time) group.time += nodes.time[node];
        const gradient = nodes.gradient?.[node] ?? null;
        if (gradient !== null && !(gradient <= (group.gradient ?? -1)) && !Number.isNaN(group.gradient))
          group.gradient = gradient;
      }
      group.bytes = 0;
      for (const bytes of memories.values()) group.bytes += bytes;
    }
  }

  count(group) { return group.end - group.begin; }

  // The groups around an item, innermost first, without the root.
  ancestors(item) {
    const found = [];
    let group = item instanceof Group ? item.parent : this.around[item];
    for (; group?.parent; group = group.parent) found.push(group);
    return found;
  }

  // The visible part of the graph: `boxes` (items, each with the open group around it), and the box of every node.
  visible() {
    const boxes = [], boxOf = new Int32Array(this.nodes.count);
    const walk = (group) => {
      for (const member of group.members) {
        const inner = member instanceof Group;
        boxes.push({ item: member, around: group === this.root ? null : group });
        if (!inner) boxOf[member] = boxes.length - 1;
        else if (member.open) walk(member);
        else for (let at = member.begin; at < member.end; at++) boxOf[this.flat[at]] = boxes.length - 1;
      }
    };
    walk(this.root);
    return { boxes, boxOf };
  }

  countVisible() {
    let count = 0;
    const walk = (group) => {
      count += group.members.length;
      for (const member of group.members) if (member instanceof Group && member.open) walk(member);
    };
    walk(this.root);
    return count;
  }
}

// The ways to group this graph: name, what to call it, the path of a node, and perhaps the types of the groups.
function waysToGroup(nodes) {
  const has = (read) => { for (let node = 0; node < nodes.count; node++) if (read(node)) return true; return false; };
  const parts = (path, separator) => (path ? path.split(separator) : []);
  const ways = [];
  if (has((node) => nodes.module(node))) ways.push(["module", "module", (node) => parts(nodes.module(node), "."), (path) => nodes.types.get(path.join(".")) ?? ""]);
  if (has((node) => nodes.scope(node))) ways.push(["scope", "name scope", (node) => parts(nodes.scope(node), "/")]);
  if (has((node) => nodes.source(node))) ways.push(["source", "source line", (node) => parts(nodes.source(node), "\u0000")]);
  ways.push(["order", "order of computation", () => []]);
  return ways;
}
