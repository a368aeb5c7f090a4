source "$ROOT/lab/generators/clients/shared/go.sh"

install() {
  module github.com/oapi-codegen/runtime@v1.8.0 github.com/google/uuid@v1.6.0
  GOBIN="$CACHE/go" go install "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v$VERSION"
}

generate() {
  mkdir -p "$CONTRACT"
  "$CACHE/go/oapi-codegen" -generate types,client -package "malote$CONTRACT" -o "$CONTRACT/client.go" "$DOCUMENT"
  go mod tidy
}
