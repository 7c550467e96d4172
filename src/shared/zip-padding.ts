/** Id of the extra field that makes room in a ZIP entry's header: it holds zeros (APPNOTE §4.5.1: ids from 32 on are free). */
export const PADDING_EXTRA = 0x7845;
/** Id and length of an extra field, and so the shortest one. */
export const EXTRA_HEADER_BYTES = 4;
