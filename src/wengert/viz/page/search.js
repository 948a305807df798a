// Search over names, modules and their types, scopes and lines.
const MOST_RESULTS = 100;

class Search {
  constructor(drawing) {
    this.drawing = drawing;
    this.input = byId("search");
    this.list = byId("results");
    this.at = -1;
    this.input.addEventListener("input", () => this.search());
    this.input.addEventListener("keydown", (event) => this.onKey(event));
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => {
      const row = event.target.closest("li");
      if (row) this.go([...this.list.children].indexOf(row));
    });
    const { raw } = drawing.nodes;
    this.columns = [raw.title, raw.module, raw.scope, raw.source];
  }

  search() {
    const wanted = this.input.value.trim().toLowerCase();
    const { nodes } = this.drawing;
    const hits = wanted ? STRINGS.map((words) => words.toLowerCase().includes(wanted)) : [];
    const found = [];
    const isOfType = (node) => nodes.types.get(nodes.module(node))?.toLowerCase().includes(wanted);
    for (let node = 0; wanted && node < nodes.count; node++)
      if (this.columns.some((column) => hits[column[node]]) || isOfType(node)) found.push(node);
    this.drawing.found = new Set(found);
    this.results = found.slice(0, MOST_RESULTS);
    this.at = -1;
    this.list.replaceChildren(...this.results.map((node, at) => element("li", { role: "option", id: `result-${at}`, "aria-selected": "false" },
      element("span", { class: "name" }, nodes.title(node)),
      element("small", {}, [nodes.moduleInWords(node), nodes.shapes(node)].filter(Boolean).join(" \u00b7 ")))));
    this.list.hidden = !found.length;
    this.input.setAttribute("aria-expanded", String(found.length > 0));
    this.input.removeAttribute("aria-activedescendant");
    const shown = found.length > MOST_RESULTS ? `, the first ${MOST_RESULTS} listed` : "";
    byId("found").textContent = wanted ? `${counted(found.length, "node")} found${shown}` : "";
    this.drawing.paint();
  }

  choose(at) {
    const rows = this.list.children;
    if (!rows.length) return;
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.at = (at + rows.length) % rows.length;
    [...rows].forEach((row, place) => row.setAttribute("aria-selected", String(place === this.at)));
    rows[this.at].scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", `result-${this.at}`);
  }

  go(at) {
    if (!this.results?.length) return;
    this.choose(Math.max(0, at));
    this.drawing.reveal(this.results[this.at]);
    this.list.hidden = true; // until somebody types or moves on
    this.input.setAttribute("aria-expanded", "false");
  }

  clear() {
    this.input.value = "";
    this.search();
  }

  onKey(event) {
    if (event.key === "ArrowDown") this.choose(this.at + 1);
    else if (event.key === "ArrowUp") this.choose(this.at - 1);
    else if (event.key === "Enter") this.go(this.at);
    else if (event.key === "Escape") this.clear();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
