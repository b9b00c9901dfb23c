package web

import (
	"context"
	"testing"
	"time"
)

func TestPage(t *testing.T) {
	ctx := chromium(t)
	for name, test := range map[string]func(*testing.T, context.Context){
		"looks": testLooks,
	} {
		t.Run(name, func(t *testing.T) { test(t, ctx) })
	}
}

// testLooks takes the pictures, and holds what a picture shows to the eye: no
// width needs a sideways scroll, dark is dark.
func testLooks(t *testing.T, ctx context.Context) {
	now := time.Now()
	for _, look := range []struct {
		name, path, scheme string
		width, height      int64
		then               func(*tab)
	}{
		{name: "desktop-light", path: "/", scheme: "light", width: 1200, height: 900},
		{name: "desktop-dark", path: "/", scheme: "dark", width: 1200, height: 900},
		{name: "open-light", path: "/", scheme: "light", width: 1200, height: 900, then: func(tb *tab) {
			tb.click("#s-03 summary")
			tb.click("#s-03 .woken summary")
			tb.click("#i-q-40 summary")
			tb.until(`document.querySelector("#i-q-40 .thread")`)
			tb.click("#t-a-43 summary")
			tb.until(`document.querySelector("#t-a-43 .thread")`)
			tb.press("j")
		}},
		{name: "compose-light", path: "/", scheme: "light", width: 1200, height: 900, then: func(tb *tab) {
			tb.press("c")
			tb.press("@api/auth")
		}},
		{name: "keys-dark", path: "/", scheme: "dark", width: 1200, height: 900, then: func(tb *tab) { tb.press("?") }},
		{name: "phone-light", path: "/", scheme: "light", width: 360, height: 740},
		{name: "phone-dark-compose", path: "/", scheme: "dark", width: 360, height: 740, then: func(tb *tab) { tb.press("c") }},
		{name: "phone-item", path: "/item/n-39", scheme: "light", width: 360, height: 740},
		{name: "tablet", path: "/", scheme: "light", width: 768, height: 900},
		{name: "integrations-light", path: "/integrations", scheme: "light", width: 1200, height: 900},
		{name: "integrations-dark", path: "/integrations", scheme: "dark", width: 1200, height: 900},
		{name: "integrations-phone", path: "/integrations", scheme: "light", width: 360, height: 740},
		{name: "problem", path: "/nowhere", scheme: "light", width: 1200, height: 900},
	} {
		t.Run(look.name, func(t *testing.T) {
			tb := visit(t, ctx, samplePage(sample(now), sampleSetup(now)), look.path, viewport(look.width, look.height), scheme(look.scheme))
			if look.then != nil {
				tb.live()
				look.then(tb)
			}
			tb.shot(look.name, true)
			if wide := eval[int](tb, `document.scrollingElement.scrollWidth`); wide > int(look.width) {
				t.Errorf("the page is %d px wide in a window of %d", wide, look.width)
			}
			paper := eval[string](tb, `getComputedStyle(document.body).backgroundColor`)
			if dark := eval[bool](tb, `getComputedStyle(document.body).backgroundColor.match(/\d+/g).every((c) => c < 60)`); dark != (look.scheme == "dark") {
				t.Errorf("%s paper is %s", look.scheme, paper)
			}
			tb.clean()
		})
	}
}
