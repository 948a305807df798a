// The outline: the same groups and nodes as a tree of text, for the keyboard and for screen readers.
class Outline {
  constructor(drawing) {
    this.drawing = drawing;
    this.list = byId("outline");
    this.current = null; // the item that the Tab key comes to
    this.list.addEventListener("keydown", (event) => this.onKey(event));
    this.list.addEventListener("click", (event) => this.onClick(event));
    drawing.listeners.push(() => this.show());
  }

  show() {
    const hadFocus = this.list.contains(document.activeElement);
    const { groups, chosen } = this.drawing;
    this.rows = [];
    const walk = (group, level) => {
      for (const member of group.members) {
        this.rows.push({ item: member, level });
        if (member instanceof Group && member.open) walk(member, level + 1);
      }
    };
    walk(groups.root, 1);
    this.list.replaceChildren(...this.rows.map(({ item, level }) => this.row(item, level)));
    if (chosen !== null) this.current = chosen;
    const at = Math.max(0, this.rows.findIndex(({ item }) => item === this.current));
    this.focusOn(at, hadFocus);
    const row = this.list.children[at];
    if (chosen !== null && row) row.scrollIntoView({ block: "nearest" });
  }

  row(item, level) {
    const { nodes, chosen } = this.drawing;
    const whole = item instanceof Group;
    const bytes = whole ? item.bytes : nodes.bytes[item];
    const row = element("li", {
      role: "treeitem", "aria-level": level, "aria-expanded": whole ? String(item.open) : null,
      "aria-selected": String(item === chosen), tabindex: "-1", "data-item": idOf(item),
      class: whole ? "group" : KINDS[nodes.kind(item)],
    }, element("span", { class: "mark", "aria-hidden": "true" }, whole ? (item.open ? "\u25be" : "\u25b8") : "\u25aa"),
    element("span", { class: "name" }, (whole ? item.label : nodes.title(item)) || "(no name)"),
    element("small", {}, whole ? readableCount(item.end - item.begin) : bytes ? readableBytes(bytes) : ""));
    row.style.paddingLeft = `${level * 14 - 8}px`;
    return row;
  }

  focusOn(at, really = true) {
    const row = this.list.children[at];
    if (!row) return;
    for (const other of this.list.querySelectorAll("[tabindex='0']")) other.tabIndex = -1;
    row.tabIndex = 0;
    this.current = this.rows[at].item;
    if (really) row.focus({ preventScroll: false });
  }

  onClick(event) {
    const row = event.target.closest("li");
    if (!row) return;
    const item = this.drawing.itemOf(row.dataset.item);
    this.current = item;
    if (event.target.classList.contains("mark") && item instanceof Group) this.drawing.toggle(item);
    else this.drawing.reveal(item);
  }

  onKey(event) {
    const at = this.rows.findIndex(({ item }) => item === this.current);
    const { item, level } = this.rows[at];
    const whole = item instanceof Group;
    const moves = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: this.rows.length - 1 };
    if (event.key in moves) this.focusOn(Math.max(0, Math.min(this.rows.length - 1, moves[event.key])));
    else if (event.key === "ArrowRight" && whole && !item.open) this.drawing.open(item);
    else if (event.key === "ArrowRight" && whole) this.focusOn(at + 1);
    else if (event.key === "ArrowLeft" && whole && item.open) this.drawing.close(item);
    else if (event.key === "ArrowLeft") this.focusOn(Math.max(0, this.rows.findLastIndex((row, place) => place < at && row.level < level)));
    else if (event.key === "Enter" || event.key === " ") this.drawing.reveal(item);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
