import java.sql.*;

/** The retry job of a service that knows nothing of us: its failures in dlq_events, read and settled by JDBC. */
public class RetryJob {
    static final String DUE = "SELECT * FROM dlq_events WHERE status = 'PENDING' AND event_type = ?"
        + " AND retry_count < ? AND retry_after <= now() ORDER BY created_at LIMIT 50 FOR UPDATE SKIP LOCKED";
    static final String STORE = "INSERT INTO dlq_events (event_type, payload, error_reason, error_stacktrace, status,"
        + " retry_count, retry_after, created_at, updated_at) VALUES (?, ?::jsonb, ?, ?, ?, ?, ?, ?, ?)";
    // as a mapper writes an entity: every column
    static final String SAVE = "UPDATE dlq_events SET event_type = ?, payload = ?::jsonb, error_reason = ?,"
        + " error_stacktrace = ?, status = ?, retry_count = ?, retry_after = ?, created_at = ?, updated_at = ?"
        + " WHERE id = ?";

    public static void main(String[] address) throws SQLException {
        try (Connection db = DriverManager.getConnection(address[0], address[1], System.getenv("PGPASSWORD"))) {
            for (int order = 1; order <= 3; order++) {
                System.out.println("stored " + store(db, order));
            }
            db.setAutoCommit(false);
            retry(db);
            db.commit();
        }
    }

    static long store(Connection db, int order) throws SQLException {
        Timestamp now = new Timestamp(System.currentTimeMillis());
        try (PreparedStatement insert = db.prepareStatement(STORE, new String[] {"id"})) {
            insert.setString(1, "order.created");
            insert.setString(2, "{\"order_id\": " + order + ", \"amount\": 1.10}");
            insert.setString(3, new java.net.SocketTimeoutException("Read timed out").toString());
            insert.setString(4, null);
            insert.setString(5, "PENDING");
            insert.setInt(6, 0);
            insert.setTimestamp(7, new Timestamp(now.getTime() - 60_000));
            insert.setTimestamp(8, now);
            insert.setTimestamp(9, now);
            insert.executeUpdate();
            try (ResultSet key = insert.getGeneratedKeys()) {
                key.next();
                return key.getLong(1);
            }
        }
    }

    /** The first order succeeds, the others fail once more. */
    static void retry(Connection db) throws SQLException {
        try (PreparedStatement due = db.prepareStatement(DUE)) {
            due.setString(1, "order.created");
            due.setInt(2, 240);
            try (ResultSet row = due.executeQuery(); PreparedStatement save = db.prepareStatement(SAVE)) {
                while (row.next()) {
                    boolean succeeds = row.getString("payload").contains("\"order_id\": 1,")
                        || row.getString("payload").endsWith("\"order_id\": 1}");
                    Timestamp now = new Timestamp(System.currentTimeMillis());
                    save.setString(1, row.getString("event_type"));
                    save.setString(2, row.getString("payload").replace("1.10", "1.1"));
                    save.setString(3, succeeds ? row.getString("error_reason") : "java.net.ConnectException: refused");
                    save.setString(4, row.getString("error_stacktrace"));
                    save.setString(5, succeeds ? "SUCCEEDED" : "PENDING");
                    save.setInt(6, row.getInt("retry_count") + (succeeds ? 0 : 1));
                    save.setTimestamp(7, succeeds ? row.getTimestamp("retry_after") : new Timestamp(now.getTime() + 60_000));
                    save.setTimestamp(8, row.getTimestamp("created_at"));
                    save.setTimestamp(9, now);
                    save.setLong(10, row.getLong("id"));
                    System.out.println("saved " + save.executeUpdate());
                }
            }
        }
    }
}
