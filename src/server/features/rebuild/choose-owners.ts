import { hashEmail } from "../../archive/study-label.ts";
import { SeveralOwners, UnknownOwner } from "./rebuild.errors.ts";
import type { Survey } from "./survey-store.ts";

export interface WantedOwners {
  /** The account that gets the studies. */
  account: { id: string; email: string };
  /** Accounts of this database: what is labelled with them belongs to them alone. */
  existing: ReadonlySet<string>;
  /** Former accounts that the operator names. */
  named: readonly string[];
}

/**
 * The accounts whose studies are rebuilt: the account itself, the former one whose newest label has its address, and those that the
 * operator names.
 * @throws {SeveralOwners} when the address alone does not tell
 * @throws {UnknownOwner}
 */
export function chooseOwners({ owners }: Pick<Survey, "owners">, wanted: WantedOwners): Set<string> {
  const { account, existing, named } = wanted;
  const isFormer = (id: string) => owners.has(id) && !existing.has(id);
  const unknown = named.find((id) => !isFormer(id));
  if (unknown !== undefined) throw new UnknownOwner(unknown);
  const ids = [...owners.keys()].filter(
    (id) => isFormer(id) && owners.get(id)?.emailHash === hashEmail(id, account.email),
  );
  const isNamed = ids.some((id) => named.includes(id));
  if (ids.length > 1 && !isNamed) throw new SeveralOwners(ids);
  return new Set([account.id, ...(isNamed ? [] : ids), ...named]);
}
