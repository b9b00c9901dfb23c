package turnpost

// FailureClass is why a turn failed. Adapters map the harness's own words to
// these and keep the native value beside it.
type FailureClass string

// The classes. FailureOther carries every value that no adapter knows.
const (
	FailureNone            FailureClass = ""
	FailureRateLimit       FailureClass = "rate_limit"
	FailureServer          FailureClass = "server_error"
	FailureOverloaded      FailureClass = "overloaded"
	FailureAuth            FailureClass = "authentication_failed"
	FailureOrgNotAllowed   FailureClass = "oauth_org_not_allowed"
	FailureAccountHold     FailureClass = "account_on_hold"
	FailureVerification    FailureClass = "verification_required"
	FailureBilling         FailureClass = "billing_error"
	FailureCloudCredential FailureClass = "cloud_credential_error"
	FailureMaxOutput       FailureClass = "max_output_tokens"
	FailureInvalidRequest  FailureClass = "invalid_request"
	FailureModelNotFound   FailureClass = "model_not_found"
	FailureOther           FailureClass = "other"
)

// FailureClasses lists the classes.
func FailureClasses() []FailureClass {
	return []FailureClass{
		FailureRateLimit, FailureServer, FailureOverloaded, FailureAuth, FailureOrgNotAllowed, FailureAccountHold,
		FailureVerification, FailureBilling, FailureCloudCredential, FailureMaxOutput, FailureInvalidRequest,
		FailureModelNotFound, FailureOther,
	}
}

// Failure is one failed turn.
type Failure struct {
	Class  FailureClass `json:"class,omitempty"`
	Native string       `json:"native,omitempty"` // the harness's own value, verbatim, at most 100 bytes
	Detail string       `json:"detail,omitempty"` // its message, at most 500 bytes
}
