import { Trans } from "@lingui/react/macro";
import { Button } from "../../ui/button.tsx";
import { EyeIcon } from "../../ui/entry-icons.tsx";

/** Opens an exam of nobody, for people who have none of their own here yet. */
export function SampleButton({ onOpen }: { onOpen: () => void }) {
  return (
    <Button kind="quiet" size="big" onClick={onOpen}>
      <EyeIcon small />
      <Trans id="sample.open">Open the sample exam</Trans>
    </Button>
  );
}
