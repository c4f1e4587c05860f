// Package dlq reports what failed. It needs DLQ_URL and DLQ_TOKEN. After an error, call it again with the same values.
package dlq

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
)

// Report reports that the event failed. A try is one run of its handler: it counts once, however often you report it.
func Report(id, kind, try string, data []byte, failure error) error {
	request, err := http.NewRequest("POST", os.Getenv("DLQ_URL")+"/api/v1/failures", bytes.NewReader(data))
	if err != nil {
		return err
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + os.Getenv("DLQ_TOKEN"), "Idempotency-Key": id + "/" + try,
		"ce-specversion": "1.0", "ce-id": id, "ce-source": "shop", "ce-type": kind,
		"ce-errortype": fmt.Sprintf("%T", failure), "ce-errormessage": url.PathEscape(failure.Error())} {
		request.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(request)
	if err == nil && answer.StatusCode != 201 {
		err = errors.New(answer.Status)
	}
	return err
}
