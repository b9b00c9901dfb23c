//go:build race

package storetest

// raceDetector makes the longest cases smaller: everything is slower with it.
const raceDetector = true
