import { type CallPath, transformAsync } from "@babel/core";
import type { BunPlugin } from "bun";

/**
 * Takes out of Radix's modules what gives each of their functions its name again after they were minified: nobody reads these names, and
 * with the code that they keep from being left out they are 3 % of the first page's script.
 */
export const unnamedPlugin: BunPlugin = {
  name: "unnamed",
  setup(build) {
    build.onLoad({ filter: /[\\/]@radix-ui[\\/].*\.mjs$/ }, async ({ path }) => {
      const source = await Bun.file(path).text();
      const compiled = await transformAsync(source, {
        filename: path,
        babelrc: false,
        configFile: false,
        plugins: [withoutNames],
      });
      if (!compiled?.code) throw new Error(`Babel gave nothing for ${path}`);
      return { contents: compiled.code, loader: "js" };
    });
  },
};

/** `__name(f, "f")` becomes `f`. */
const withoutNames = {
  visitor: {
    CallExpression(call: CallPath) {
      const { callee, arguments: given } = call.node;
      if (callee.type === "Identifier" && callee.name === "__name" && given[0]) call.replaceWith(given[0]);
    },
  },
};
