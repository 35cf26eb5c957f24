/* Upload progress. Without this script the form works by itself; the drop zone (`.drop`) is shell.js's business.

   <form method="post" enctype="multipart/form-data" data-upload> with an <input type="file"> and a .form-actions:
   a bar appears above .form-actions while the file travels. The answer, be it the page after the redirect or the form
   with its report (422, 413), takes the place of <main>.
   Load with <script src="{% static 'js/drop.js' %}" defer></script> in the scripts block. */
(() => {
  "use strict";

  const size = (bytes) => {
    if (bytes < 1024) return `${bytes} bytes`;
    return bytes < 2 ** 20 ? `${(bytes / 2 ** 10).toFixed(0)} KB` : `${(bytes / 2 ** 20).toFixed(1)} MB`;
  };

  function progressLine(form) {
    const line = document.createElement("div");
    line.className = "progress-line mb-3";
    line.setAttribute("role", "status");
    line.innerHTML = '<progress class="bar" max="100" value="0"></progress> <span></span>';
    form.insertBefore(line, form.querySelector(".form-actions"));
    return line;
  }

  function setUpForm(form) {
    form.addEventListener("submit", (event) => {
      const input = form.querySelector('input[type="file"]');
      if (!input || !input.files.length) return;
      event.preventDefault();
      const buttons = form.querySelectorAll("button");
      const line = progressLine(form);
      const [bar, words] = line.children;
      const body = new FormData(form, event.submitter);
      const request = new XMLHttpRequest();
      buttons.forEach((button) => { button.disabled = true; });
      const fail = () => {
        buttons.forEach((button) => { button.disabled = false; });
        bar.remove();
        words.textContent = "The upload was cut off and nothing was stored. Try again.";
      };
      request.upload.addEventListener("progress", (step) => {
        const percent = step.lengthComputable ? Math.floor((100 * step.loaded) / step.total) : 0;
        bar.value = percent;
        words.textContent = percent < 100 ? `${percent} % of ${size(step.total)}` : "Reading the file …";
      });
      request.upload.addEventListener("load", () => {
        bar.removeAttribute("value");
        words.textContent = "Reading the file …";
      });
      request.addEventListener("load", () => showPage(request));
      request.addEventListener("error", fail);
      request.addEventListener("abort", fail);
      request.open("POST", form.action);
      request.send(body);
    });
  }

  /* The redirect has been followed and its messages are spent, so the page that came is shown, not fetched again. */
  function showPage(request) {
    const page = new DOMParser().parseFromString(request.responseText, "text/html");
    const main = page.querySelector("main");
    const here = document.querySelector("main");
    if (!main || !here) {
      window.location.assign(request.responseURL);
      return;
    }
    here.replaceWith(main);
    document.title = page.title;
    document.body.className = page.body.className;
    if (request.responseURL !== window.location.href) history.pushState(null, "", request.responseURL);
    const known = new Set([...document.scripts].map((script) => script.src));
    page.querySelectorAll("script[src]").forEach((found) => {
      const script = document.createElement("script");
      script.src = found.getAttribute("src");
      if (!known.has(script.src)) document.body.append(script);
    });
    if (window.htmx) window.htmx.process(main);
    setUp(main);
    window.scrollTo(0, 0);
    main.focus();
  }

  function setUp(root) {
    root.querySelectorAll("form[data-upload]").forEach(setUpForm);
  }

  window.addEventListener("popstate", () => window.location.reload());
  setUp(document);
})();
