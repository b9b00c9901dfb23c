package api

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"turnpost"
)

// tokenLength is 256 bits in base64.
const tokenLength = 43

// EnsureToken returns the user's token from its file, and makes both where
// there is none. It refuses a file that others may read or own: whoever has
// the token is the user.
func EnsureToken(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return readToken(path)
	}
	if err != nil {
		return "", fmt.Errorf("make token file: %w", err)
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	token := base64.RawURLEncoding.EncodeToString(secret)
	_, err = io.WriteString(f, token+"\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("write token file: %w", err), os.Remove(path))
	}
	return token, nil
}

func readToken(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return "", fmt.Errorf("open token file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("look at token file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", turnpost.Errorf(turnpost.Forbidden, "%s is not a plain file", path).WithHint("remove it; a new token is made at the next start")
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", turnpost.Errorf(turnpost.Forbidden, "%s is open to other users", path).
			WithHint("remove it, others may know the token; a new one is made at the next start")
	}
	if err := checkOwner(path, info); err != nil {
		return "", err
	}
	const most = 1 << 10
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return "", fmt.Errorf("read token file: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if raw, err := base64.RawURLEncoding.DecodeString(token); err != nil || len(raw) < 32 {
		return "", turnpost.Errorf(turnpost.Invalid, "%s does not hold a token", path).WithHint("remove it; a new one is made at the next start")
	}
	return token, nil
}
