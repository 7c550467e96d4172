const STUDY = "/studies/{study}";
const SERIES = `${STUDY}/series/{series}`;
const INSTANCE = `${SERIES}/instances/{instance}`;
const FRAMES = `${INSTANCE}/frames/{frames}`;

/**
 * The transactions of the Studies Service (PS3.18 table H-1) by method and resource below the service, and those of this program that
 * the table does not list: pictures of frames, and one long value of an instance.
 */
export const TRANSACTIONS: Readonly<Record<string, string>> = {
  "GET /studies": "Search for Studies",
  "POST /studies": "Store Instances",
  "GET /series": "Search for Series",
  "GET /instances": "Search for Instances",
  [`GET ${STUDY}`]: "Retrieve Study",
  [`POST ${STUDY}`]: "Store Study Instances",
  [`GET ${STUDY}/series`]: "Search for Study Series",
  [`GET ${STUDY}/instances`]: "Search for Study Instances",
  [`GET ${SERIES}`]: "Retrieve Series",
  [`GET ${SERIES}/instances`]: "Search for Study Series Instances",
  [`GET ${INSTANCE}`]: "Retrieve Instance",
  [`GET ${FRAMES}`]: "Retrieve Frames",
  [`GET ${FRAMES}/rendered`]: "Retrieve Rendered Frames",
  [`GET ${FRAMES}/thumbnail`]: "Retrieve Frames Thumbnail",
  [`GET ${INSTANCE}/bulkdata/{path}`]: "Retrieve Bulkdata Value",
  ...Object.fromEntries(
    Object.entries({ Study: STUDY, Series: SERIES, Instance: INSTANCE }).flatMap(([level, resource]) => [
      [`GET ${resource}/metadata`, `Retrieve ${level} Metadata`],
      [`GET ${resource}/rendered`, `Retrieve Rendered ${level}`],
      [`GET ${resource}/thumbnail`, `Retrieve ${level} Thumbnail`],
      [`GET ${resource}/bulkdata`, `Retrieve ${level} Bulkdata`],
      [`GET ${resource}/pixeldata`, `Retrieve ${level} Pixel Data`],
    ]),
  ),
};
