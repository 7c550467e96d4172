import { plugin } from "bun";
import { linguiPlugin } from "../../scripts/build/lingui-plugin.ts";

plugin(linguiPlugin({ stripMessages: false }));
