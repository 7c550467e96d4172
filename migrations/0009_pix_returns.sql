CREATE TABLE "devolucoes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"payment_id" uuid NOT NULL,
	"end_to_end_id" text NOT NULL,
	"devolucao_id" text NOT NULL,
	"rtr_id" text,
	"amount_cents" bigint NOT NULL,
	"natureza" text NOT NULL,
	"status" "devolucao_status" NOT NULL,
	"requested_at" timestamp with time zone,
	"settled_at" timestamp with time zone,
	"seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "devolucoes_id_key" UNIQUE NULLS NOT DISTINCT("payment_id","end_to_end_id","devolucao_id","rtr_id")
);
--> statement-breakpoint
ALTER TABLE "devolucoes" ADD CONSTRAINT "devolucoes_payment_id_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "payments_returnable_idx" ON "payments" USING btree ("checked_at") WHERE "payments"."provider" = 'bacen' and ("payments"."status" = 'paid' or ("payments"."status" = 'failed' and "payments"."end_to_end_id" is not null));