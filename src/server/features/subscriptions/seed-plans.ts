import { GIB } from "../../../shared/units.ts";
import type { DbOrTx } from "../../db/client.ts";
import { insertMissingPlans } from "./subscriptions.repo.ts";

const seededPlans = [
  {
    slug: "avaliacao",
    name: "Avaliação",
    priceCents: 0,
    examLimit: 2,
    downloadDeleteLimit: 10,
    storageBytes: 2 * GIB,
    isOffered: false,
  },
  {
    slug: "cortesia",
    name: "Cortesia",
    priceCents: 0,
    examLimit: 10,
    downloadDeleteLimit: 20,
    storageBytes: 20 * GIB,
    isOffered: false,
  },
  {
    slug: "essencial",
    name: "Essencial",
    priceCents: 1990,
    examLimit: 10,
    downloadDeleteLimit: 20,
    storageBytes: 20 * GIB,
    isOffered: true,
  },
  {
    slug: "familia",
    name: "Família",
    priceCents: 3990,
    examLimit: 50,
    downloadDeleteLimit: 60,
    storageBytes: 100 * GIB,
    isOffered: true,
  },
  {
    slug: "profissional",
    name: "Profissional",
    priceCents: 118800,
    examLimit: 200,
    downloadDeleteLimit: 300,
    storageBytes: 400 * GIB,
    isOffered: true,
  },
  {
    slug: "clinica",
    name: "Clínica",
    priceCents: 478800,
    examLimit: 1000,
    downloadDeleteLimit: 2000,
    storageBytes: 2000 * GIB,
    isOffered: true,
  },
];

/** Inserts the plans that every installation has. Idempotent. */
export async function seedPlans(db: DbOrTx): Promise<void> {
  await insertMissingPlans(
    db,
    seededPlans.map((plan) => ({ id: Bun.randomUUIDv7(), ...plan })),
  );
}
