-- The report by mail.

CREATE TABLE report_mails (
    recipient text NOT NULL,
    day date NOT NULL,
    tries integer NOT NULL,
    next_at moment NOT NULL,
    sent_at moment,
    CONSTRAINT report_mails_pkey PRIMARY KEY (recipient)
);
COMMENT ON TABLE report_mails IS 'The last mail to each recipient: who sends one moves its row first.';
COMMENT ON COLUMN report_mails.recipient IS 'a keyed hash of the address';
COMMENT ON COLUMN report_mails.day IS 'the day that the mail tells of';
COMMENT ON COLUMN report_mails.tries IS 'of this day; the last one may still be under way';
COMMENT ON COLUMN report_mails.next_at IS 'until then nobody else tries';
COMMENT ON COLUMN report_mails.sent_at IS 'when the mail server took it; NULL: not yet';
COMMENT ON INDEX report_mails_pkey IS 'a recipient''s mail';
