# `nix build ./assets/packaging` and `nix run ./assets/packaging -- demo`, from a
# clone. Not run by the project's own checks.
{
  description = "A terminal dashboard for instruments at sea";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      source = ../..;
      manifest = (nixpkgs.lib.importTOML (source + "/Cargo.toml")).package;
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = manifest.name;
          inherit (manifest) version;
          src = source;
          cargoLock.lockFile = source + "/Cargo.lock";
          # The profile of the other packages; nixpkgs passes it on as `--profile dist`.
          buildType = "dist";
          buildFeatures = [
            "parquet"
            "postgres"
          ];
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # They need Debian's packages and a network of their own.
          doCheck = false;
          postInstall = ''
            $out/bin/driftline man --output man1
            installManPage man1/*.1
            for shell in bash zsh fish; do
              $out/bin/driftline completions $shell > driftline.$shell
            done
            installShellCompletion driftline.{bash,zsh,fish}
            install -Dm644 assets/packaging/driftline.desktop -t $out/share/applications
          '';
          meta = {
            inherit (manifest) description;
            license = pkgs.lib.licenses.mit;
            mainProgram = "driftline";
          };
        };
      });
    };
}
