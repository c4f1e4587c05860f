DROP FUNCTION breaker_probe(text[], double precision, double precision);
DROP FUNCTION breaker_noted(text, text, double precision, double precision, double precision, double precision, double precision,
    integer, integer, integer, text, double precision, integer, double precision, double precision);
DROP FUNCTION breaker_pause(integer, double precision, double precision);
DROP FUNCTION breaker_bounded(double precision, double precision, double precision);
DROP VIEW breakers_now;
