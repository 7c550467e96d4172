import { OperatorError } from "../../runtime/operator-error.ts";

/** The address belonged to more than one former account. */
export class SeveralOwners extends OperatorError {
  override name = "SeveralOwners";
  constructor(ids: readonly string[]) {
    super(
      `Several former accounts had this address: ${ids.join(", ")}. Name one of them with --owner, so that nobody gets the exams of somebody else.`,
    );
  }
}

/** The store holds nothing of such an account. */
export class UnknownOwner extends OperatorError {
  override name = "UnknownOwner";
  constructor(id: string) {
    super(`Nothing in the store is labelled with a former account ${id}.`);
  }
}
