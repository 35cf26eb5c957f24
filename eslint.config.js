// The rules for the scripts of the pages, beside those that eslint recommends: modules, nothing global, short functions.
import js from "@eslint/js";
import globals from "globals";

const GLOBAL = "Nothing is global: import it.";

export default [
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, sourceType: "module" },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      complexity: ["error", 14],
      "consistent-return": "error",
      curly: ["error", "multi-line"],
      eqeqeq: "error",
      "max-lines": ["error", { max: 320 }],
      "max-lines-per-function": ["error", { max: 45, skipComments: true }],
      "no-duplicate-imports": "error",
      "no-eval": "error",
      "no-implicit-globals": "error",
      "no-restricted-syntax": [
        "error",
        { selector: "AssignmentExpression[left.object.name=/^(window|globalThis|self)$/]", message: GLOBAL },
        { selector: "CallExpression[callee.type=/FunctionExpression/]", message: "A module needs no function around it." },
      ],
      "no-shadow": ["error", { builtinGlobals: false }],
      "no-unused-vars": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
    },
  },
  { files: ["static/js/**/*.js"], languageOptions: { globals: globals.browser } },
  // Before the first paint, and in the service worker, there are no modules.
  { files: ["static/js/theme.js"], languageOptions: { sourceType: "script" } },
  {
    files: ["static/js/judging/worker.js"],
    languageOptions: { sourceType: "script", globals: globals.serviceworker },
    rules: { "no-implicit-globals": "off" },
  },
  { files: ["tests/js/**/*.js"], languageOptions: { globals: globals.node }, rules: { "max-lines-per-function": "off" } },
];
