import { join } from "node:path";
import { transformAsync } from "@babel/core";
import linguiMacro from "@lingui/babel-plugin-lingui-macro";
import { getConfig } from "@lingui/conf";
import type { BunPlugin } from "bun";

const IMPORTS_A_MACRO = /@lingui\/(core|react)\/macro/;
const TRANS = join(import.meta.dir, "../../src/client/ui/trans.ts");

interface LinguiOptions {
  stripMessages: boolean;
  /** Changes a source before its macros are compiled. */
  prepare?: (source: string) => string;
}

/**
 * Compiles Lingui's macros in the client's sources; Babel does not read files without a macro. `stripMessages` keeps only the ids,
 * for builds that always load a catalogue and have no source map.
 */
export const linguiPlugin = ({ stripMessages, prepare = (source) => source }: LinguiOptions): BunPlugin => ({
  name: "lingui-macro",
  setup(build) {
    const config = getConfig();
    const linguiConfig = {
      ...config,
      runtimeConfigModule: { ...config.runtimeConfigModule, Trans: [TRANS, "Trans"] as const },
    };
    const descriptorFields = stripMessages ? "id-only" : "message";
    build.onLoad({ filter: /[\\/]src[\\/]client[\\/].*\.tsx?$/ }, async ({ path }) => {
      const source = prepare(await Bun.file(path).text());
      const loader = path.endsWith("x") ? "tsx" : "ts";
      if (!IMPORTS_A_MACRO.test(source)) return { contents: source, loader };
      const compiled = await transformAsync(source, {
        filename: path,
        babelrc: false,
        configFile: false,
        sourceMaps: stripMessages ? false : "inline",
        parserOpts: { plugins: loader === "tsx" ? ["typescript", "jsx"] : ["typescript"] },
        plugins: [[linguiMacro, { descriptorFields, linguiConfig }]],
      });
      if (!compiled?.code) throw new Error(`Babel gave nothing for ${path}`);
      return { contents: compiled.code, loader };
    });
  },
});
