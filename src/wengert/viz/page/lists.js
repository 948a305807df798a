// The lists of a compiled function: a button for each, and a table of the entries of the chosen one.
const text = (words) => clean(String(words));

// The lists in the order of the page, each with its title: of calls, and below them of backward passes.
function listsIn(data) {
  const found = [];
  for (const [at, signature] of data.signatures.entries()) {
    for (const [number, { call, parts }] of signature.lists.entries()) {
      const place = data.signatures.length > 1 ? `signature ${at + 1}, ` : "";
      found.push({ list: call, title: `${place}call ${number + 1}`, unit: "call", remark: "" });
      for (const [place, part] of parts.entries()) {
        const title = `gradients, part ${place + 1}`;
        if (!part.lists.length) found.push({ list: null, title, unit: "pass", remark: part.ordinary || "no pass was recorded", nodes: part.nodes });
        for (const list of part.lists) found.push({ list, title, unit: "pass", remark: part.ordinary, nodes: part.nodes });
      }
    }
  }
  return found;
}

const total = (list) => list.entries.reduce((sum, entry) => entry.seconds === null ? sum : (sum ?? 0) + entry.seconds, null);
const time = (seconds) => seconds === null ? "" : readableTime(seconds * 1e6);

class Lists {
  constructor(data) {
    this.lists = listsIn(data);
    byId("title").textContent = `Lists of ${text(data.name)}`;
    byId("summary").textContent = `${counted(this.lists.filter(({ list }) => list).length, "list")}, recorded by replay=True`;
    this.buttons = this.lists.map(({ list, title }, at) => element("button", { type: "button", onclick: () => this.choose(at) },
      element("span", { class: "name" }, title), element("small", {}, list === null ? "ordinary nodes" : counted(list.entries.length, "entry").replace("entrys", "entries"))));
    byId("lists").replaceChildren(...this.buttons.map((button) => element("li", {}, button)));
    const eager = data.signatures.flatMap((signature) => signature.eager);
    if (eager.length) byId("eager").replaceChildren(element("h3", {}, "Called eagerly"), ...eager.map((reason) => element("p", { class: "pale" }, text(reason))));
    byId("sort").addEventListener("change", () => this.show());
    this.choose(0);
  }

  choose(at) {
    this.chosen = this.lists[at];
    for (const [place, button] of this.buttons.entries()) {
      if (place === at) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    this.show();
  }

  show() {
    const chosen = this.chosen;
    if (chosen === undefined) {
      byId("about").textContent = "No list was recorded.";
      return;
    }
    const { list, unit, remark, nodes } = chosen;
    const kinds = list === null ? [] : Object.entries(list.kinds).map(([kind, count]) => `${count} ${kind}`);
    const kept = list === null ? "" : `${readableBytes(list.constant_bytes + list.spare_bytes)} kept (constants ${readableBytes(list.constant_bytes)}, spare arrays ${readableBytes(list.spare_bytes)})`;
    const replays = list === null ? "" : counted(list.calls, unit).replace("passs", "passes");
    const took = list === null || total(list) === null ? "" : `${time(total(list))} for all entries`;
    const words = [nodes === undefined ? "" : `for ${counted(nodes.length, "node")}: ${nodes.map(text).join(", ")}`, kinds.join(", "), replays, kept, took, remark && `ordinary nodes: ${text(remark)}`];
    byId("about").textContent = words.filter(Boolean).join(" \u00b7 ");
    byId("entries").replaceChildren(...(list === null ? [] : this.table(list)));
    say(`${chosen.title}: ${byId("about").textContent}`);
  }

  table(list) {
    const rows = [...list.entries.entries()], order = byId("sort").value;
    if (order === "time") rows.sort(([, one], [, other]) => (other.seconds ?? 0) - (one.seconds ?? 0));
    if (order === "bytes") rows.sort(([, one], [, other]) => other.bytes - one.bytes);
    const most = Math.max(...list.entries.map((entry) => entry.seconds ?? 0));
    const head = ["", "kind", "call", "line", "result", "time", ""].map((words) => element("th", { scope: "col", class: words === "result" || words === "time" ? "number" : null }, words));
    return [element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows.map(([at, entry]) => this.row(at, entry, most)))];
  }

  row(at, entry, most) {
    const place = entry.file ? `${text(entry.file).split(/[\\/]/).pop()}:${entry.line}` : "";
    const bar = most > 0 && entry.seconds !== null ? element("meter", { min: 0, max: most, value: entry.seconds, "aria-hidden": "true" }) : null;
    return element("tr", { class: entry.by_python ? "by-python" : "" },
      element("td", { class: "number" }, String(at)), element("td", {}, entry.kind),
      element("td", {}, element("span", { class: "name" }, text(entry.name)), entry.by_python ? element("small", {}, ` by Python: ${entry.by_python}`) : null),
      element("td", { title: text(entry.file) }, place, entry.code ? element("code", {}, ` ${text(entry.code)}`) : null),
      element("td", { class: "number" }, entry.bytes ? readableBytes(entry.bytes) : ""),
      element("td", { class: "number" }, time(entry.seconds)), element("td", {}, bar));
  }
}

byId("theme").addEventListener("click", nextTheme);
setTheme("auto");
new Lists(DATA);
requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("painted")));
