-- The tables of console.

CREATE TABLE sign_in_allowances (
    key varchar(110) NOT NULL,
    spent_until timestamptz NOT NULL,
    CONSTRAINT sign_in_allowances_pkey PRIMARY KEY (key)
);
COMMENT ON TABLE sign_in_allowances IS
    'Tries to sign in, and reports of a token, that were used up, and until when they are all back.';
COMMENT ON INDEX sign_in_allowances_pkey IS 'the throttle: the tries of an account, an address or a device';

CREATE INDEX sign_in_allowances_spent ON sign_in_allowances (spent_until);
COMMENT ON INDEX sign_in_allowances_spent IS 'the throttle: what is not used any more, to forget it';
