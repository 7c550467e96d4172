import { ApiError } from "../../../api.ts";

type Tus = typeof import("tus-js-client");

/** The code that sends in chunks. @throws {ApiError} as if the server was not reached, if it could not be loaded */
export async function loadTus(load: () => Promise<Tus> = () => import("tus-js-client")): Promise<Tus> {
  try {
    return await load();
  } catch (cause) {
    throw Object.assign(new ApiError(0, "network", "network"), { cause });
  }
}
