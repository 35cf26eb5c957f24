/* How far a long import is. Without this script the page waits silently, and the same happens.

   <form method="post" data-progress="address">: from the submission until the next page comes, a bar above .form-actions
   says what the address answers: {"words": "…", "share": 0.4}, share null where it is not known.
   Load with <script src="{% static 'js/import.js' %}" defer></script> in the scripts block. */
(() => {
  "use strict";

  const EVERY = 1000;

  function show(form) {
    const line = document.createElement("div");
    line.className = "progress-line mb-3";
    line.setAttribute("role", "status");
    const bar = document.createElement("progress");
    bar.className = "bar";
    bar.max = 1;
    const words = document.createElement("span");
    words.textContent = "Reading the file …";
    line.append(bar, words);
    form.insertBefore(line, form.querySelector(".form-actions"));
    return { bar, words };
  }

  async function ask(address, { bar, words }) {
    try {
      const answer = await fetch(address, { headers: { Accept: "application/json" } });
      if (!answer.ok) return;
      const found = await answer.json();
      if (found.words) words.textContent = `${found.words} …`;
      if (found.share === null) bar.removeAttribute("value");
      else bar.value = found.share;
    } catch {
      /* The import goes on without its bar. */
    }
  }

  function setUp(form) {
    let timer = 0;
    form.addEventListener("submit", () => {
      if (timer) return;
      const line = show(form);
      timer = window.setInterval(() => ask(form.dataset.progress, line), EVERY);
      /* After the browser has taken the pressed button's value along. */
      window.setTimeout(() => form.querySelectorAll("button").forEach((button) => { button.disabled = true; }));
    });
    /* Back from the page that followed: as if nothing had been pressed. */
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) window.location.reload();
    });
  }

  document.querySelectorAll("form[data-progress]").forEach(setUp);
})();
