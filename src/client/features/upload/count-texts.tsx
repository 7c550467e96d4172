import { Plural, Trans, useLingui } from "@lingui/react/macro";

export function ExamCount({ exams: count }: { exams: number }) {
  return <Plural id="contents.exams" value={count} one="# exam" other="# exams" />;
}

/** How many of the files that go together are packed. */
export function PackedCount({ packed, total }: { packed: number; total: number }) {
  const { i18n } = useLingui();
  const [done, all] = [i18n.number(packed), i18n.number(total)];
  return (
    <Trans id="upload.packed">
      {done} of {all} files
    </Trans>
  );
}
