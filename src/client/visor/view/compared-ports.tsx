import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { Button, IconButton } from "../../ui/button.tsx";
import { CloseIcon } from "../../ui/entry-icons.tsx";
import { FilmPort } from "./film-port.tsx";
import { LinkedIcon } from "./icons.ts";
import type { Comparison } from "./use-comparison.ts";
import type { Visor } from "./use-visor.ts";
import { Corners } from "./visor-notes.tsx";
import { stackName } from "./visor-texts.ts";

interface ComparedPortsProps {
  visor: Visor;
  comparison: Comparison;
  preview: string | undefined;
  areSidesShown: boolean;
  areCornersShown: boolean;
  /** The focus leaves the list of exams, so that keys act on the images again. */
  onChosen: () => void;
}

/** Two exams side by side; on a phone one above the other. */
export function ComparedPorts({ visor, comparison, preview, onChosen, ...shows }: ComparedPortsProps) {
  const { t } = useLingui();
  const { chosen, isLinked, setLinked, isOtherActive, setOtherActive, close } = comparison;
  return (
    <div className="visor-ports">
      <Half
        visor={visor}
        name={<b>{visor.study?.date}</b>}
        preview={preview}
        isActive={!isOtherActive}
        {...shows}
        onActive={() => setOtherActive(false)}
      />
      {chosen ? (
        <Half
          key={chosen.studyInstanceUID}
          visor={comparison.visor}
          name={<ExamChoice comparison={comparison} onChosen={onChosen} />}
          beside={t({ id: "visor.compare.exam", message: "Exam beside" })}
          preview={undefined}
          isActive={isOtherActive}
          {...shows}
          onActive={() => setOtherActive(true)}
          actions={
            <IconButton
              className="visor-icon"
              label={t({ id: "visor.compare.close", message: "Close comparison" })}
              onClick={close}
            >
              <CloseIcon />
            </IconButton>
          }
        />
      ) : (
        <NothingBeside comparison={comparison} />
      )}
      {chosen && (
        <Button
          size="small"
          className="visor-linked"
          on={isLinked}
          aria-pressed={isLinked}
          onClick={() => setLinked(!isLinked)}
        >
          <LinkedIcon small />
          {isLinked ? (
            <Trans id="visor.compare.linked">Scroll linked</Trans>
          ) : (
            <Trans id="visor.compare.free">Scroll free</Trans>
          )}
        </Button>
      )}
    </div>
  );
}

interface HalfProps
  extends Pick<ComparedPortsProps, "visor" | "preview" | "areSidesShown" | "areCornersShown"> {
  name: ReactNode;
  /** Sets the exam beside the first apart, which may be of the same day. */
  beside?: string;
  isActive: boolean;
  onActive: () => void;
  actions?: ReactNode;
}

function Half({ visor, name, beside, preview, isActive, onActive, actions, ...shows }: HalfProps) {
  const { i18n, t } = useLingui();
  const { study, stack } = visor;
  const date = study?.date ?? "";
  return (
    <section
      className={`visor-half ${isActive ? "is-active" : ""}`}
      aria-label={study && [beside, date, study.title].filter(Boolean).join(" · ")}
      onPointerDownCapture={onActive}
      onWheelCapture={onActive}
      onFocusCapture={onActive}
    >
      <header>
        {name}
        <span>{stack && stackName(i18n, stack)}</span>
        {actions}
      </header>
      <FilmPort
        visor={visor}
        label={t({ id: "visor.imageOf", message: `Image of the exam of ${date}` })}
        preview={preview}
        areSidesShown={shows.areSidesShown}
      >
        {shows.areCornersShown && <Corners visor={visor} />}
      </FilmPort>
    </section>
  );
}

/** The list of exams to compare with. */
function ExamChoice({ comparison, onChosen }: Pick<ComparedPortsProps, "comparison" | "onChosen">) {
  const { t } = useLingui();
  const { found, chosen, choose } = comparison;
  return (
    <select
      className="visor-exam"
      aria-label={t({ id: "visor.compare.exam", message: "Exam beside" })}
      value={chosen?.studyInstanceUID}
      onChange={({ currentTarget }) => {
        choose(currentTarget.value);
        onChosen();
      }}
    >
      {typeof found !== "string" &&
        found.map(({ studyInstanceUID, date, title }) => (
          <option key={studyInstanceUID} value={studyInstanceUID}>
            {date} · {title}
          </option>
        ))}
    </select>
  );
}

function NothingBeside({ comparison: { found, open, close } }: Pick<ComparedPortsProps, "comparison">) {
  return (
    <div className="visor-half">
      <div className="visor-problem" role="status">
        <b>
          {found === "finding" ? (
            <Trans id="visor.compare.finding">Looking for other exams</Trans>
          ) : found === "failed" ? (
            <Trans id="visor.compare.failed">The other exams could not be listed</Trans>
          ) : (
            <Trans id="visor.compare.none">There is no other exam to compare with.</Trans>
          )}
        </b>
        {found === "failed" ? (
          <Button onClick={() => void open()}>
            <Trans id="action.retry">Try again</Trans>
          </Button>
        ) : (
          <Button onClick={close}>
            <Trans id="visor.compare.close">Close comparison</Trans>
          </Button>
        )}
      </div>
    </div>
  );
}
