/** Goes up with each release that draws some image otherwise, so that no client and no row keeps the picture of an older one. */
export const DRAWN_AS = 6;
