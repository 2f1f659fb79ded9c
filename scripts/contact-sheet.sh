#!/usr/bin/env bash
# contact-sheet.sh RESULTS.jsonl FOLDER > index.html: one page with every thumbnail of the results,
# its size, where its orientation came from and what it cost; failed jobs with their errors.
# FOLDER is where the outputs lie, relative to the page.
set -euo pipefail
results=$1 folder=$2

cat <<'HTML'
<!doctype html>
<html lang="en"><meta charset="utf-8"><title>thumbnail-fleet contact sheet</title>
<style>
  body { font: 14px/1.4 system-ui, sans-serif; margin: 2rem; background: #fafafa; color: #222 }
  main { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-end }
  figure { margin: 0; max-width: 380px } img { box-shadow: 0 1px 4px #0004; max-width: 100% }
  figcaption { overflow-wrap: anywhere } small { color: #666 } .failed { color: #a00 }
</style>
<h1>Contact sheet</h1><p id="summary"></p><main></main>
<script type="application/json" id="results">
HTML
# "</" would end the script element inside a path or message.
printf '['; sed 's#</#<\\/#g' "$results" | paste -sd, -; printf ']\n'
cat <<HTML
</script>
<script>
  const folder = "$folder/", results = JSON.parse(document.getElementById("results").textContent);
HTML
cat <<'HTML'
  const main = document.querySelector("main");
  const line = (parent, tag, text, cls) => {
    const e = parent.appendChild(document.createElement(tag)); e.textContent = text; if (cls) e.className = cls; return e;
  };
  for (const r of results.sort((a, b) => a.source < b.source ? -1 : 1)) {
    for (const o of r.outputs ?? []) {
      const f = main.appendChild(document.createElement("figure"));
      const i = f.appendChild(document.createElement("img"));
      i.src = folder + o.path.split("/").map(encodeURIComponent).join("/"); i.width = o.width; i.height = o.height;
      const c = f.appendChild(document.createElement("figcaption"));
      line(c, "div", r.source.split("/").pop());
      const t = r.timings_ms;
      line(c, "small", `${r.displayed.width}×${r.displayed.height} → ${o.width}×${o.height} · ${(o.bytes / 1024).toFixed(0)} KB · ` +
        `orientation ${r.orientation.value} (${r.orientation.from}) · k ${r.decode_scale} · ` +
        `${(t.decode + t.resample + t.encode).toFixed(1)} ms`);
    }
    if (r.error) {
      const f = main.appendChild(document.createElement("figure"));
      line(f, "div", r.source ?? r.id); line(f, "div", `${r.error.code}: ${r.error.message}`, "failed");
    }
  }
  const failed = results.filter(r => r.error).length;
  document.getElementById("summary").textContent = `${results.length - failed} pictures done, ${failed} failed`;
</script></html>
HTML
