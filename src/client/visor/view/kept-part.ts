import { type ComponentType, memo } from "react";
import type { Visor } from "./use-visor.ts";

/**
 * A part of the visor that is drawn anew when a prop of its own or a named value of the visor has changed, and not at each slice. It
 * reads no other value of the visor, except functions, which do the same whenever they were made.
 */
export function keptPart<Props extends { visor: Visor }>(
  names: readonly (keyof Visor)[],
  Part: ComponentType<Props>,
): ComponentType<Props> {
  return memo(Part, (before, after) => {
    const own = Object.keys({ ...before, ...after }).filter((key) => key !== "visor") as (keyof Props)[];
    return (
      own.every((key) => before[key] === after[key]) &&
      names.every((name) => before.visor[name] === after.visor[name])
    );
  }) as ComponentType<Props>;
}
