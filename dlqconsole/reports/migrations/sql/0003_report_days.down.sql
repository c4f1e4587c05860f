DROP FUNCTION report_day_marks(text, date, date);
