source "$ROOT/lab/generators/clients/shared/openapi-generator.sh"
language=ruby
properties=gemName=malote_${CONTRACT:-},moduleName=Malote${CONTRACT:-},library=typhoeus

# Typhoeus is that of Debian (ruby-typhoeus).
install() {
  ruby -e 'require "typhoeus"; require "marcel"' || exit 77
  install_generator
}

compile() { ruby -W0 -I "$CONTRACT/lib" -e "require 'malote_$CONTRACT'"; }

drive() { ruby -W0 -I A/lib -I D/lib drive.rb; }
