import type { KeptObject } from "../objects/kept-object.ts";
import type { ObjectDeps } from "../reading/open-object.ts";
import { damageOf } from "../reading/stored-bytes.ts";
import { noteDamage } from "./note-damage.ts";
import { sumWhole } from "./sums-of-object.ts";

/** Reads a whole object; records damage and has the admin notified. */
export async function checkObject(
  deps: ObjectDeps,
  object: KeptObject,
): Promise<"damaged" | "missing" | undefined> {
  try {
    await sumWhole(deps, object);
    return undefined;
  } catch (error) {
    const damage = await damageOf(deps, object, error);
    if (!damage) throw error;
    return (await noteDamage(deps, object, damage)) ? damage : undefined;
  }
}
