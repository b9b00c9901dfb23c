package hook

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"turnpost"
)

// fill sets every field, however deep, so that a new one cannot be forgotten.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.String:
		v.SetString("<a> & \"b\"\n" + v.Type().Name())
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[turnpost.JSON]() {
			v.SetBytes([]byte(`{"x":[1,"</a>"]}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0))
		fill(t, v.Index(1))
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"A": "1", "B": "<2>"}))
	default:
		t.Fatalf("a field of kind %s: teach fill and the codec", v.Kind())
	}
}

// The hook's own encoder says what the struct tags say, in their order.
func TestEncodeEvent(t *testing.T) {
	var full turnpost.Event
	fill(t, reflect.ValueOf(&full).Elem())
	at := time.Date(2026, 12, 1, 4, 5, 6, 7, time.FixedZone("", 3600))
	for _, e := range []turnpost.Event{{}, full, {Kind: turnpost.TurnEnd, Accepts: turnpost.Accepts{Continue: true}}} {
		if diff := cmp.Diff(marshal(t, e), string(encodeEvent(e))); diff != "" {
			t.Errorf("event (-want +got):\n%s", diff)
		}
		spooled := turnpost.Spooled{At: at.UTC(), Event: e}
		if diff := cmp.Diff(marshal(t, spooled), string(encodeSpooled(at, e))); diff != "" {
			t.Errorf("spooled (-want +got):\n%s", diff)
		}
	}
	if diff := cmp.Diff(marshal(t, turnpost.Receipt{Offer: "of-1"}), string(encodeReceipt("of-1"))); diff != "" {
		t.Errorf("receipt (-want +got):\n%s", diff)
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}

// And its decoder reads all that encoding/json writes.
func TestDecodeAnswer(t *testing.T) {
	var full turnpost.HookAnswer
	fill(t, reflect.ValueOf(&full).Elem())
	for _, want := range []turnpost.HookAnswer{{}, full, {Decision: turnpost.Decision{Context: "x"}}} {
		data, err := json.Marshal(want) // with HTML escapes, as the hub sends it
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeAnswer(append(data, '\n'))
		if err != nil {
			t.Fatal(err)
		}
		got.Decision.Input = unescaped(t, got.Decision.Input)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	for _, in := range []string{"", "null", "[]", `{"offer":"a","offer":"b"}`, `{"offer":`} {
		if got, err := decodeAnswer([]byte(in)); err == nil {
			t.Errorf("%q: %+v", in, got)
		}
	}
}

// unescaped undoes the HTML escapes inside a value that is passed on as it is.
func unescaped(t *testing.T, raw turnpost.JSON) turnpost.JSON {
	t.Helper()
	if raw == nil {
		return nil
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return turnpost.JSON(marshal(t, v))
}
