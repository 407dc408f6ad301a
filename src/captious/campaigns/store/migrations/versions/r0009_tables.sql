-- The tables of captious 0.1.0; r0009_tables.py runs this. On SQLite, SERIAL is INTEGER and DOUBLE PRECISION is DOUBLE.

CREATE TABLE account (
    id SERIAL NOT NULL,
    name TEXT NOT NULL,
    password TEXT NOT NULL,
    role TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    disabled BOOLEAN DEFAULT false NOT NULL,
    CONSTRAINT pk_account PRIMARY KEY (id),
    CONSTRAINT ck_account_role CHECK (role IN ('owner', 'manager', 'viewer')),
    CONSTRAINT uq_account_name UNIQUE (name)
);

CREATE TABLE campaign (
    id SERIAL NOT NULL,
    slug TEXT NOT NULL,
    title TEXT NOT NULL,
    protocol TEXT NOT NULL,
    options TEXT NOT NULL,
    protocol_file TEXT,
    seed BIGINT NOT NULL,
    state TEXT NOT NULL,
    settings TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    opened DOUBLE PRECISION,
    closed DOUBLE PRECISION,
    CONSTRAINT pk_campaign PRIMARY KEY (id),
    CONSTRAINT uq_campaign_slug UNIQUE (slug)
);

CREATE TABLE crowd_block (
    provider TEXT NOT NULL,
    digest TEXT NOT NULL,
    reason TEXT DEFAULT '' NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_crowd_block PRIMARY KEY (provider, digest)
);

CREATE TABLE form (
    id SERIAL NOT NULL,
    digest TEXT NOT NULL,
    fields TEXT NOT NULL,
    CONSTRAINT pk_form PRIMARY KEY (id),
    CONSTRAINT uq_form_digest UNIQUE (digest)
);

CREATE TABLE move_count (
    id SERIAL NOT NULL,
    moves BIGINT NOT NULL,
    CONSTRAINT pk_move_count PRIMARY KEY (id)
);

CREATE TABLE sign_in_try (
    id SERIAL NOT NULL,
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    time DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_sign_in_try PRIMARY KEY (id)
);

CREATE INDEX ix_sign_in_try_name ON sign_in_try (name, time);

CREATE INDEX ix_sign_in_try_source ON sign_in_try (source, time);

CREATE TABLE crowd_study (
    id SERIAL NOT NULL,
    campaign_id INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    provider TEXT NOT NULL,
    options TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    state TEXT NOT NULL,
    remote TEXT,
    created DOUBLE PRECISION NOT NULL,
    published DOUBLE PRECISION,
    closed DOUBLE PRECISION,
    CONSTRAINT pk_crowd_study PRIMARY KEY (id),
    CONSTRAINT ck_crowd_study_state CHECK (state IN ('draft', 'open', 'paused', 'closed')),
    CONSTRAINT fk_crowd_study_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id),
    CONSTRAINT uq_crowd_study_key UNIQUE ("key")
);

CREATE INDEX ix_crowd_study_campaign_id ON crowd_study (campaign_id);

CREATE TABLE image (
    id SERIAL NOT NULL,
    campaign_id INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    digest TEXT NOT NULL,
    type TEXT NOT NULL,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    CONSTRAINT pk_image PRIMARY KEY (id),
    CONSTRAINT uq_image_campaign_id_key UNIQUE (campaign_id, "key"),
    CONSTRAINT fk_image_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id)
);

CREATE INDEX ix_image_digest ON image (campaign_id, digest);

CREATE TABLE item (
    id SERIAL NOT NULL,
    campaign_id INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    image TEXT NOT NULL,
    stage TEXT NOT NULL,
    form_id INTEGER NOT NULL,
    content TEXT NOT NULL,
    target BIGINT NOT NULL,
    taken BIGINT DEFAULT '0' NOT NULL,
    done BIGINT DEFAULT '0' NOT NULL,
    balance TEXT DEFAULT '' NOT NULL,
    is_check BOOLEAN DEFAULT false NOT NULL,
    restricted BOOLEAN DEFAULT false NOT NULL,
    gold TEXT,
    not_before DOUBLE PRECISION DEFAULT '0' NOT NULL,
    place DOUBLE PRECISION NOT NULL,
    closed BOOLEAN DEFAULT false NOT NULL,
    from_response INTEGER,
    room BIGINT GENERATED ALWAYS AS (CASE WHEN closed THEN 0 WHEN is_check THEN 1 ELSE target - taken END) STORED,
    moved BIGINT DEFAULT '0' NOT NULL,
    CONSTRAINT pk_item PRIMARY KEY (id),
    CONSTRAINT uq_item_campaign_id_key UNIQUE (campaign_id, "key"),
    CONSTRAINT fk_item_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id),
    CONSTRAINT fk_item_form_id FOREIGN KEY(form_id) REFERENCES form (id)
);

CREATE INDEX ix_item_from_response ON item (from_response);

CREATE INDEX ix_item_image ON item (campaign_id, image);

CREATE INDEX ix_item_moved ON item (campaign_id, is_check, restricted, balance, room, moved);

CREATE INDEX ix_item_open ON item (campaign_id, is_check, restricted, balance, room, place);

CREATE INDEX ix_item_stage ON item (campaign_id, stage, id);

CREATE TABLE label (
    campaign_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    taken BIGINT DEFAULT '0' NOT NULL,
    CONSTRAINT pk_label PRIMARY KEY (campaign_id, name),
    CONSTRAINT fk_label_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id)
);

CREATE TABLE log (
    id SERIAL NOT NULL,
    time DOUBLE PRECISION NOT NULL,
    actor TEXT NOT NULL,
    campaign_id INTEGER,
    action TEXT NOT NULL,
    subject TEXT DEFAULT '' NOT NULL,
    detail TEXT NOT NULL,
    CONSTRAINT pk_log PRIMARY KEY (id),
    CONSTRAINT fk_log_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id)
);

CREATE INDEX ix_log_campaign_id ON log (campaign_id, id);

CREATE TABLE rater (
    id SERIAL NOT NULL,
    campaign_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    email TEXT DEFAULT '' NOT NULL,
    pseudonym TEXT NOT NULL,
    native BOOLEAN DEFAULT false NOT NULL,
    state TEXT DEFAULT 'active' NOT NULL,
    reason TEXT DEFAULT '' NOT NULL,
    link_version INTEGER DEFAULT '1' NOT NULL,
    answered INTEGER DEFAULT '0' NOT NULL,
    seconds DOUBLE PRECISION DEFAULT '0' NOT NULL,
    groups INTEGER DEFAULT '0' NOT NULL,
    cursor DOUBLE PRECISION DEFAULT '0' NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    last_seen DOUBLE PRECISION,
    record TEXT,
    quota INTEGER,
    consent_version TEXT DEFAULT '' NOT NULL,
    consent_time DOUBLE PRECISION,
    entry TEXT DEFAULT '' NOT NULL,
    uncounted BOOLEAN DEFAULT false NOT NULL,
    CONSTRAINT pk_rater PRIMARY KEY (id),
    CONSTRAINT uq_rater_campaign_id_pseudonym UNIQUE (campaign_id, pseudonym),
    CONSTRAINT ck_rater_state CHECK (state IN ('active', 'removed', 'withdrawn')),
    CONSTRAINT fk_rater_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id)
);

CREATE TABLE recording (
    id SERIAL NOT NULL,
    campaign_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    CONSTRAINT pk_recording PRIMARY KEY (id),
    CONSTRAINT uq_recording_campaign_id_name UNIQUE (campaign_id, name),
    CONSTRAINT fk_recording_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id)
);

CREATE TABLE snapshot (
    campaign_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    last_response_id INTEGER NOT NULL,
    time DOUBLE PRECISION NOT NULL,
    content TEXT NOT NULL,
    CONSTRAINT pk_snapshot PRIMARY KEY (campaign_id, kind),
    CONSTRAINT fk_snapshot_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id)
);

CREATE TABLE training_example (
    id SERIAL NOT NULL,
    campaign_id INTEGER NOT NULL,
    version TEXT NOT NULL,
    place INTEGER NOT NULL,
    content TEXT NOT NULL,
    CONSTRAINT pk_training_example PRIMARY KEY (id),
    CONSTRAINT uq_training_example_campaign_id_version_place UNIQUE (campaign_id, version, place),
    CONSTRAINT fk_training_example_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id)
);

CREATE TABLE crowd_call (
    id SERIAL NOT NULL,
    study_id INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    action TEXT NOT NULL,
    request TEXT NOT NULL,
    amount BIGINT DEFAULT '0' NOT NULL,
    state TEXT NOT NULL,
    result TEXT,
    note TEXT DEFAULT '' NOT NULL,
    owner TEXT NOT NULL,
    started DOUBLE PRECISION NOT NULL,
    ended DOUBLE PRECISION,
    CONSTRAINT pk_crowd_call PRIMARY KEY (id),
    CONSTRAINT ck_crowd_call_state CHECK (state IN ('open', 'done', 'refused')),
    CONSTRAINT fk_crowd_call_study_id FOREIGN KEY(study_id) REFERENCES crowd_study (id),
    CONSTRAINT uq_crowd_call_key UNIQUE ("key")
);

CREATE INDEX ix_crowd_call_study_id ON crowd_call (study_id, state);

CREATE TABLE crowd_place (
    id SERIAL NOT NULL,
    study_id INTEGER NOT NULL,
    place TEXT NOT NULL,
    participant TEXT NOT NULL,
    rater_id INTEGER,
    state TEXT NOT NULL,
    outcome TEXT DEFAULT '' NOT NULL,
    checked BOOLEAN DEFAULT true NOT NULL,
    tries INTEGER DEFAULT '0' NOT NULL,
    arrived DOUBLE PRECISION,
    finished DOUBLE PRECISION,
    detail TEXT NOT NULL,
    CONSTRAINT pk_crowd_place PRIMARY KEY (id),
    CONSTRAINT uq_crowd_place_study_id_place UNIQUE (study_id, place),
    CONSTRAINT ck_crowd_place_state CHECK (state IN ('active', 'submitted', 'approved', 'rejected', 'returned', 'timed_out', 'screened_out')),
    CONSTRAINT ck_crowd_place_outcome CHECK (outcome IN ('', 'completed', 'screened_out', 'failed', 'full')),
    CONSTRAINT fk_crowd_place_study_id FOREIGN KEY(study_id) REFERENCES crowd_study (id),
    CONSTRAINT fk_crowd_place_rater_id FOREIGN KEY(rater_id) REFERENCES rater (id)
);

CREATE INDEX ix_crowd_place_participant ON crowd_place (participant);

CREATE INDEX ix_crowd_place_rater_id ON crowd_place (rater_id);

CREATE TABLE flag (
    id SERIAL NOT NULL,
    campaign_id INTEGER NOT NULL,
    rater_id INTEGER NOT NULL,
    rule TEXT NOT NULL,
    explanation TEXT NOT NULL,
    evidence TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    decision TEXT DEFAULT '' NOT NULL,
    decided_by TEXT DEFAULT '' NOT NULL,
    decided_at DOUBLE PRECISION,
    CONSTRAINT pk_flag PRIMARY KEY (id),
    CONSTRAINT fk_flag_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id),
    CONSTRAINT fk_flag_rater_id FOREIGN KEY(rater_id) REFERENCES rater (id)
);

CREATE INDEX ix_flag_campaign_id ON flag (campaign_id, rater_id, rule);

CREATE TABLE item_rater (
    item_id INTEGER NOT NULL,
    rater_id INTEGER NOT NULL,
    allowed BOOLEAN NOT NULL,
    not_before DOUBLE PRECISION DEFAULT '0' NOT NULL,
    CONSTRAINT pk_item_rater PRIMARY KEY (item_id, rater_id),
    CONSTRAINT fk_item_rater_item_id FOREIGN KEY(item_id) REFERENCES item (id),
    CONSTRAINT fk_item_rater_rater_id FOREIGN KEY(rater_id) REFERENCES rater (id)
);

CREATE INDEX ix_item_rater_rater_id ON item_rater (rater_id, allowed, not_before);

CREATE TABLE link_use (
    digest TEXT NOT NULL,
    rater_id INTEGER NOT NULL,
    time DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_link_use PRIMARY KEY (digest),
    CONSTRAINT fk_link_use_rater_id FOREIGN KEY(rater_id) REFERENCES rater (id)
);

CREATE TABLE note (
    id SERIAL NOT NULL,
    campaign_id INTEGER NOT NULL,
    rater_id INTEGER NOT NULL,
    item_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    text TEXT DEFAULT '' NOT NULL,
    time DOUBLE PRECISION NOT NULL,
    settled_by TEXT DEFAULT '' NOT NULL,
    settled_at DOUBLE PRECISION,
    CONSTRAINT pk_note PRIMARY KEY (id),
    CONSTRAINT ck_note_kind CHECK (kind IN ('skip', 'cannot', 'image', 'note')),
    CONSTRAINT fk_note_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id),
    CONSTRAINT fk_note_rater_id FOREIGN KEY(rater_id) REFERENCES rater (id),
    CONSTRAINT fk_note_item_id FOREIGN KEY(item_id) REFERENCES item (id)
);

CREATE INDEX ix_note_campaign_id ON note (campaign_id, id);

CREATE INDEX ix_note_item_id ON note (item_id);

CREATE TABLE response (
    id SERIAL NOT NULL,
    campaign_id INTEGER NOT NULL,
    item_id INTEGER NOT NULL,
    rater_id INTEGER,
    assignment_id INTEGER,
    "key" TEXT NOT NULL,
    answers TEXT NOT NULL,
    hints TEXT NOT NULL,
    time DOUBLE PRECISION NOT NULL,
    seconds DOUBLE PRECISION,
    kind TEXT NOT NULL,
    replaces INTEGER,
    source TEXT NOT NULL,
    actor TEXT DEFAULT '' NOT NULL,
    outcome TEXT,
    untouched TEXT,
    CONSTRAINT pk_response PRIMARY KEY (id),
    CONSTRAINT ck_response_kind CHECK (kind IN ('answer', 'correction', 'adjudication')),
    CONSTRAINT fk_response_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id),
    CONSTRAINT fk_response_item_id FOREIGN KEY(item_id) REFERENCES item (id),
    CONSTRAINT fk_response_rater_id FOREIGN KEY(rater_id) REFERENCES rater (id),
    CONSTRAINT fk_response_replaces FOREIGN KEY(replaces) REFERENCES response (id)
);

CREATE INDEX ix_response_campaign_id_id ON response (campaign_id, id);

CREATE INDEX ix_response_item_id ON response (item_id);

CREATE INDEX ix_response_rater_id ON response (rater_id, id);

CREATE UNIQUE INDEX uq_response_key ON response (campaign_id, coalesce(rater_id, 0), "key");

CREATE TABLE searched (
    rater_id INTEGER NOT NULL,
    is_check BOOLEAN NOT NULL,
    balance TEXT NOT NULL,
    room BIGINT NOT NULL,
    high DOUBLE PRECISION NOT NULL,
    low DOUBLE PRECISION NOT NULL,
    moved BIGINT NOT NULL,
    epoch DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_searched PRIMARY KEY (rater_id, is_check, balance, room, high),
    CONSTRAINT fk_searched_rater_id FOREIGN KEY(rater_id) REFERENCES rater (id)
);

CREATE TABLE session (
    id SERIAL NOT NULL,
    digest TEXT NOT NULL,
    account_id INTEGER,
    rater_id INTEGER,
    csrf TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    expires DOUBLE PRECISION NOT NULL,
    last_seen DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_session PRIMARY KEY (id),
    CONSTRAINT uq_session_digest UNIQUE (digest),
    CONSTRAINT fk_session_account_id FOREIGN KEY(account_id) REFERENCES account (id),
    CONSTRAINT fk_session_rater_id FOREIGN KEY(rater_id) REFERENCES rater (id)
);

CREATE INDEX ix_session_account_id ON session (account_id);

CREATE INDEX ix_session_expires ON session (expires);

CREATE INDEX ix_session_rater_id ON session (rater_id);

CREATE TABLE survey_answer (
    id SERIAL NOT NULL,
    campaign_id INTEGER NOT NULL,
    rater_id INTEGER NOT NULL,
    moment TEXT NOT NULL,
    version TEXT NOT NULL,
    answers TEXT NOT NULL,
    time DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_survey_answer PRIMARY KEY (id),
    CONSTRAINT uq_survey_answer_rater_id_moment_version UNIQUE (rater_id, moment, version),
    CONSTRAINT fk_survey_answer_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id),
    CONSTRAINT fk_survey_answer_rater_id FOREIGN KEY(rater_id) REFERENCES rater (id)
);

CREATE INDEX ix_survey_answer_campaign_id ON survey_answer (campaign_id, id);

CREATE TABLE training_answer (
    id SERIAL NOT NULL,
    campaign_id INTEGER NOT NULL,
    rater_id INTEGER NOT NULL,
    training_example_id INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    answers TEXT NOT NULL,
    correct INTEGER NOT NULL,
    asked INTEGER NOT NULL,
    time DOUBLE PRECISION NOT NULL,
    CONSTRAINT pk_training_answer PRIMARY KEY (id),
    CONSTRAINT uq_training_answer_rater_id_training_example_id_attempt UNIQUE (rater_id, training_example_id, attempt),
    CONSTRAINT fk_training_answer_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id),
    CONSTRAINT fk_training_answer_rater_id FOREIGN KEY(rater_id) REFERENCES rater (id),
    CONSTRAINT fk_training_answer_training_example_id FOREIGN KEY(training_example_id) REFERENCES training_example (id)
);

CREATE INDEX ix_training_answer_campaign_id ON training_answer (campaign_id, id);

CREATE TABLE assignment (
    id SERIAL NOT NULL,
    token TEXT NOT NULL,
    campaign_id INTEGER NOT NULL,
    item_id INTEGER NOT NULL,
    rater_id INTEGER NOT NULL,
    image TEXT DEFAULT '' NOT NULL,
    state TEXT NOT NULL,
    group_no INTEGER NOT NULL,
    position INTEGER NOT NULL,
    held_until DOUBLE PRECISION NOT NULL,
    shown_at DOUBLE PRECISION,
    draft TEXT,
    response_id INTEGER,
    CONSTRAINT pk_assignment PRIMARY KEY (id),
    CONSTRAINT uq_assignment_item_id_rater_id UNIQUE (item_id, rater_id),
    CONSTRAINT ck_assignment_state CHECK (state IN ('held', 'answered', 'expired', 'released')),
    CONSTRAINT uq_assignment_token UNIQUE (token),
    CONSTRAINT fk_assignment_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id),
    CONSTRAINT fk_assignment_item_id FOREIGN KEY(item_id) REFERENCES item (id),
    CONSTRAINT fk_assignment_rater_id FOREIGN KEY(rater_id) REFERENCES rater (id),
    CONSTRAINT fk_assignment_response_id FOREIGN KEY(response_id) REFERENCES response (id)
);

CREATE INDEX ix_assignment_held ON assignment (campaign_id, state, held_until);

CREATE INDEX ix_assignment_image ON assignment (rater_id, image);

CREATE INDEX ix_assignment_last ON assignment (rater_id, response_id);

CREATE INDEX ix_assignment_rater ON assignment (rater_id, state, group_no, position);

INSERT INTO move_count (id, moves) VALUES (1, 0);
