# nix build '.?dir=app/package', in a clone of this repository; package.nix is the package.
{
  description = "Whisper speech recognition on CPUs, and on AMD XDNA NPUs (simulated so far)";

  inputs.nixpkgs.url = "nixpkgs/nixos-25.05";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: rec {
        whisper-npu = pkgs.callPackage ./package.nix { };
        default = whisper-npu;
      });
      devShells = each (pkgs: {
        default = pkgs.mkShell { inputsFrom = [ self.packages.${pkgs.stdenv.hostPlatform.system}.default ]; };
      });
    };
}
