import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import * as z from "zod/mini";
import { supportMessageSchema } from "../../../shared/api/support.ts";
import type { ValidationMessage } from "../../../shared/validation-messages.ts";
import type { ApiError } from "../../calls/api.ts";
import { violationText } from "../../calls/validation.ts";
import { Button } from "../../ui/button.tsx";
import { CircleAlertIcon, CircleCheckIcon } from "../../ui/entry-icons.tsx";
import { Field, TextField } from "../../ui/field.tsx";
import { showFormFailure } from "../../ui/form-failure.ts";
import { useHis } from "../session/his-context.ts";
import { useKeptForm } from "../session/use-kept-form.ts";
import { checkImage } from "./check-image.ts";
import { ImageField } from "./image-field.tsx";
import { supportApi } from "./support-api.ts";

const formSchema = z.pick(supportMessageSchema, { subject: true, message: true });
type Values = z.infer<typeof formSchema>;

const noValues: Values = { subject: "", message: "" };

/** The result of sending the last message. */
type Outcome = { sentTo: string } | { failure: string };

export function SupportForm() {
  const { i18n, t } = useLingui();
  const { user } = useHis();
  const [outcome, setOutcome] = useState<Outcome>();
  const image = useImage();
  const { first, keep, drop } = useKeptForm<Values>("support", noValues);
  const { register, handleSubmit, setError, reset, subscribe, formState } = useForm<Values>({
    resolver: standardSchemaResolver(formSchema),
    defaultValues: first,
  });
  useEffect(
    () => subscribe({ formState: { values: true }, callback: ({ values }) => keep(values) }),
    [subscribe, keep],
  );
  const { errors, isSubmitting } = formState;
  const errorOf = (field: keyof Values) => violationText(i18n, errors[field]?.message);

  const submit = handleSubmit(async (values) => {
    if (image.error) return;
    setOutcome(undefined);
    try {
      const sender = { userEmail: user.email, userName: user.name };
      await supportApi.send({ ...values, ...sender, image: image.file });
      reset(noValues);
      drop();
      image.choose(undefined);
      setOutcome({ sentTo: user.email });
    } catch (error) {
      showFormFailure(error, {
        setError,
        fields: ["subject", "message"],
        title: t({ id: "support.failed", message: "Error sending message" }),
        tell: (refusal) => {
          image.refuse(refusal);
          setOutcome({ failure: refusal.message });
        },
      });
    }
  });

  return (
    <form className="panel support-form" onSubmit={submit} noValidate>
      {outcome && <OutcomeNotice outcome={outcome} />}
      <TextField
        label={<Trans id="support.subject">Subject</Trans>}
        error={errorOf("subject")}
        {...register("subject")}
      />
      <Field label={<Trans id="support.message">Message</Trans>} error={errorOf("message")}>
        {(tied) => <textarea className="input support-message" rows={8} {...register("message")} {...tied} />}
      </Field>
      <ImageField
        image={image.file}
        onImageChange={image.choose}
        error={violationText(i18n, image.error)}
        disabled={isSubmitting}
      />
      <Button type="submit" kind="lit" className="support-send" disabled={isSubmitting}>
        {isSubmitting ? <Trans id="support.busy">Sending…</Trans> : <Trans id="support.submit">Send</Trans>}
      </Button>
    </form>
  );
}

/** The attached image, checked as soon as it is chosen. One that can't be sent stays named until it is taken out or replaced. */
function useImage() {
  const [file, setFile] = useState<File>();
  const [error, setError] = useState<ValidationMessage | string>();
  const last = useRef<File>(undefined);
  const choose = async (chosen: File | undefined) => {
    last.current = chosen;
    const wrong = chosen && (await checkImage(chosen));
    // A file of another device or of a cloud is read late.
    if (last.current !== chosen) return;
    setFile(chosen);
    setError(wrong);
  };
  return {
    file,
    error,
    choose: (chosen: File | undefined) => void choose(chosen),
    refuse: ({ violations }: ApiError) => setError(violations.find(({ path }) => path === "image")?.message),
  };
}

function OutcomeNotice({ outcome }: { outcome: Outcome }) {
  if ("failure" in outcome) {
    return (
      <div className="notice is-bad" role="alert">
        <CircleAlertIcon />
        <span>
          <b>
            <Trans id="support.failed">Error sending message</Trans>
          </b>
          {". "}
          {outcome.failure}
        </span>
      </div>
    );
  }
  const { sentTo } = outcome;
  return (
    <div className="notice is-ok" role="status">
      <CircleCheckIcon />
      <span>
        <b>
          <Trans id="support.sent.title">Message sent</Trans>
        </b>
        {". "}
        <Trans id="support.sent.text">We will reply to {sentTo} within 48 hours.</Trans>
      </span>
    </div>
  );
}
