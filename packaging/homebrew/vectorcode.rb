# The formula for a Homebrew tap. `scripts/homebrew-formula.sh VERSION SHA256SUMS` fills in version and checksums.
class Vectorcode < Formula
  desc "Finds code by meaning, in the terminal and for AI agents over MCP"
  homepage "https://github.com/alejandro-technology/vectorcode"
  version "@VERSION@"
  license "MIT"

  on_macos do
    on_arm do
      url "https://github.com/alejandro-technology/vectorcode/releases/download/v#{version}/vectorcode-darwin-aarch64.tar.gz"
      sha256 "@SHA256_DARWIN_AARCH64@"
    end
    on_intel do
      url "https://github.com/alejandro-technology/vectorcode/releases/download/v#{version}/vectorcode-darwin-x86_64.tar.gz"
      sha256 "@SHA256_DARWIN_X86_64@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/alejandro-technology/vectorcode/releases/download/v#{version}/vectorcode-linux-aarch64.tar.gz"
      sha256 "@SHA256_LINUX_AARCH64@"
    end
    on_intel do
      url "https://github.com/alejandro-technology/vectorcode/releases/download/v#{version}/vectorcode-linux-x86_64.tar.gz"
      sha256 "@SHA256_LINUX_X86_64@"
    end
  end

  def install
    bin.install "vectorcode"
    generate_completions_from_executable(bin/"vectorcode", "completions")
    system bin/"vectorcode", "man", "--out", "man"
    man1.install Dir["man/*.1"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/vectorcode --version")
  end
end
