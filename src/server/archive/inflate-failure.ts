/** Whether zlib says that the data are broken, truncated or longer than allowed. A lack of memory says nothing of the data. */
export function isInflateFailure(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const { code } = error;
  return (
    code === "ERR_BUFFER_TOO_LARGE" ||
    code === "Z_DATA_ERROR" ||
    code === "Z_BUF_ERROR" ||
    code === "Z_NEED_DICT"
  );
}
