// Starts a plan, waits for its result and prints its failures. Needs only Go 1.19.
//
// Usage: RUNWARD_URL=https://runward.example.org RUNWARD_TOKEN=… go run start-and-wait.go PLAN_ID [NAME=VALUE ...]
// Exit code: 0 = the run succeeded, 4 = it waits for a person, 1 = anything else. (`go run` itself ends with 1
// instead of 4; build the program for the exact code.)
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

const retryFor = 5 * time.Minute

var client = http.Client{Timeout: 90 * time.Second}

type reason struct {
	Text string `json:"text"`
}

type execution struct {
	ID           string  `json:"id"`
	WebURL       string  `json:"webUrl"`
	Status       string  `json:"status"`
	StatusReason *reason `json:"statusReason"`
	Finished     bool    `json:"finished"`
	Successful   bool    `json:"successful"`
}

type failureCauses struct {
	Items []struct {
		StepKey   string   `json:"stepKey"`
		Status    string   `json:"status"`
		Text      *string  `json:"text"`
		ServerIDs []string `json:"serverIds"`
	} `json:"items"`
}

func fail(text string) {
	fmt.Fprintln(os.Stderr, text)
	os.Exit(1)
}

func isBusy(status int) bool {
	return status == 429 || status == 502 || status == 503 || status == 504
}

// call reads the answer into result. It repeats a request without a usable answer for five minutes.
func call(method, path string, body []byte, key string, result any) {
	deadline := time.Now().Add(retryFor)
	for pause := time.Second; ; pause *= 2 {
		status, answer, err := send(method, path, body, key)
		if err == nil && status < 300 {
			if err := json.Unmarshal(answer, result); err != nil {
				fail(err.Error())
			}
			return
		}
		if err == nil && !isBusy(status) {
			fail(string(answer))
		}
		if time.Now().After(deadline) {
			fail(fmt.Sprintf("no answer from %s: %v", os.Getenv("RUNWARD_URL"), err))
		}
		if pause > 20*time.Second {
			pause = 20 * time.Second
		}
		time.Sleep(pause)
	}
}

func send(method, path string, body []byte, key string) (int, []byte, error) {
	url := strings.TrimRight(os.Getenv("RUNWARD_URL"), "/") + path
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		fail(err.Error())
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("RUNWARD_TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// newKey returns the key of the start. With the same key, a repeated start returns the run that exists.
func newKey() string {
	if job := os.Getenv("CI_JOB_ID"); job != "" {
		return job
	}
	bytes := make([]byte, 16)
	if _, err := rand.Read(bytes); err != nil {
		fail(err.Error())
	}
	return fmt.Sprintf("%x", bytes)
}

func main() {
	if len(os.Args) < 2 {
		fail("usage: start-and-wait PLAN_ID [NAME=VALUE ...]")
	}
	variables := map[string]string{}
	for _, variable := range os.Args[2:] {
		name, value, _ := strings.Cut(variable, "=")
		variables[name] = value
	}
	body, err := json.Marshal(map[string]any{"planId": os.Args[1], "execution_mode": "auto", "variables": variables})
	if err != nil {
		fail(err.Error())
	}
	var run execution
	call("POST", "/api/executions", body, newKey(), &run)
	fmt.Println(run.WebURL)
	for !run.Finished && run.Status != "PAUSED" {
		call("GET", "/api/executions/"+run.ID+"?wait=50&until=settled", nil, "", &run)
	}

	text := run.Status
	if run.StatusReason != nil {
		text += ": " + run.StatusReason.Text
	}
	fmt.Println(text)
	var causes failureCauses
	call("GET", "/api/executions/"+run.ID+"/failure-causes", nil, "", &causes)
	for _, cause := range causes.Items {
		line := cause.Status
		if cause.Text != nil {
			line = *cause.Text
		}
		fmt.Printf("%d × %s: %s\n", len(cause.ServerIDs), cause.StepKey, line)
	}
	if run.Successful {
		os.Exit(0)
	}
	if run.Status == "PAUSED" {
		os.Exit(4)
	}
	os.Exit(1)
}
