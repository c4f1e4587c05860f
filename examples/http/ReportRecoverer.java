import static java.net.URLEncoder.encode;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.listener.ConsumerRecordRecoverer;

// new DefaultErrorHandler(new ReportRecoverer(url, token), new FixedBackOff(1000, 3)) reports what failed four times.
record ReportRecoverer(String url, String token) implements ConsumerRecordRecoverer {
    @Override
    public void accept(ConsumerRecord<?, ?> record, Exception error) {
        var cause = error.getCause() == null ? error : error.getCause(); // Spring wraps each error
        var place = record.topic() + "/" + record.partition() + "-" + record.offset();
        var request = HttpRequest.newBuilder(URI.create(url + "/api/v1/failures")).timeout(Duration.ofSeconds(10))
            .headers("Authorization", "Bearer " + token, "Idempotency-Key", place, "ce-specversion", "1.0",
                "ce-id", place, "ce-source", "kafka", "ce-type", record.topic(),
                "ce-errortype", cause.getClass().getName(),
                "ce-errormessage", encode(String.valueOf(cause.getMessage()), UTF_8).replace("+", "%20"))
            .POST(BodyPublishers.ofByteArray((byte[]) record.value())).build();
        try { // an error here: Spring brings the record again
            var status = HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode();
            if (status != 201) throw new IllegalStateException("dlqconsole answered " + status);
        } catch (IOException | InterruptedException away) {
            throw new IllegalStateException(away);
        }
    }
}
