source "$ROOT/lab/generators/clients/shared/openapi-generator.sh"
source "$ROOT/lab/generators/clients/shared/go.sh"
language=go
properties=packageName=malote${CONTRACT:-},withGoMod=false

install() {
  module gopkg.in/validator.v2@v2.0.1
  install_generator
}
