DROP FUNCTION auth_user_audited() CASCADE;
DROP FUNCTION auth_user_groups_audited() CASCADE;
DROP FUNCTION auth_group_audited() CASCADE;
DROP FUNCTION auth_permissions_audited() CASCADE;
DROP FUNCTION account_difference(jsonb, jsonb);
DROP FUNCTION acting_person();
