package harness

// Reviewer is a harness that runs a hook only after its user has reviewed it,
// and keeps those reviews in a file. Setup writes them into the plan where the
// user asked for it; otherwise people read how to review.
type Reviewer interface {
	// Review is the entry that records the review of a hook which is one of
	// Install's entries for the same target, at the index at which its group
	// stands in the array that Entry.Pointer names. ok is false for an entry that
	// needs no review. sum is sha256.Sum256: the hook client links this package
	// and does without crypto.
	Review(t Target, hook Entry, index int, sum func([]byte) [32]byte) (review Entry, ok bool)
	// HowToReview is what a person does in the program itself, one sentence.
	HowToReview() string
}
