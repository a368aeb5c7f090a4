source "$ROOT/lab/generators/clients/shared/openapi-generator.sh"
source "$ROOT/lab/generators/clients/shared/typescript.sh"
language=typescript-fetch
# Names as they are in the contract.
properties=modelPropertyNaming=original,paramNaming=original

install() { install_generator; }
