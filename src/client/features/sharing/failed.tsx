/** Why a part of the dialog could not be read. */
export function Failed({ text }: { text: string }) {
  return (
    <p className="notice is-bad" role="alert">
      {text}
    </p>
  );
}
