"use strict";
// Hides the rows of the index that lack a word of the search, and groups without rows.
const field = document.getElementById("search");
const count = document.getElementById("count");
function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const section of document.querySelectorAll("section")) {
    let any = false;
    for (const row of section.querySelectorAll("tr")) {
      row.hidden = !words.every((word) => row.dataset.text.includes(word));
      any = any || !row.hidden;
      shown += row.hidden ? 0 : 1;
    }
    section.hidden = !any;
  }
  count.textContent = words.length ? `${shown} found` : "";
}
field.addEventListener("input", search);
search();
