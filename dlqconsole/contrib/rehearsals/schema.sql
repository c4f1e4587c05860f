-- The table of rehearsals.

CREATE TABLE rehearsal_predictions (
    dead_letter_id bigint NOT NULL,
    payload_version integer NOT NULL,
    would varchar(16) NOT NULL,
    error_class text NOT NULL DEFAULT '',
    category varchar(16) NOT NULL DEFAULT '',
    reason text NOT NULL DEFAULT '',
    operation_id bigint NOT NULL,
    CONSTRAINT rehearsal_predictions_pkey PRIMARY KEY (operation_id, dead_letter_id),
    CONSTRAINT rehearsal_predictions_would CHECK (would IN ('succeed', 'fail', 'stop', 'write', 'unknown')),
    CONSTRAINT rehearsal_predictions_item FOREIGN KEY (operation_id, dead_letter_id)
        REFERENCES operation_items(operation_id, dead_letter_id) ON DELETE CASCADE
);
COMMENT ON TABLE rehearsal_predictions IS
    'What a rehearsal says of one dead letter; it goes with the item.';
COMMENT ON COLUMN rehearsal_predictions.payload_version IS
    'of which payload it is said: another may do otherwise';
COMMENT ON COLUMN rehearsal_predictions.category IS 'of the failure, as the rules would have it';
COMMENT ON INDEX rehearsal_predictions_pkey IS
    'what a rehearsal says of the dead letters of a page, or of all that it looked at';
